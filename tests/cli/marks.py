"""Checks the arrows and marks of a run with two findings in clerk export's forms for other timelines.

    marks.py chrome RUN RULE PLACE...    RUN.chrome, of --format chrome: RULE is marked at these calls, or at commands
    marks.py perfetto RUN RULE PLACE...  the same of RUN.perfetto, which protoc made of --format perfetto

PLACE is thread:NAME or queue:NAME, with the name of the slice that has the mark.
"""
import json
import re
import sys


def chrome(path):
    """Slices (track, name, begin, end, arguments), arrows {call: [kind, track, time]}, marks (rule, track, time, args)."""
    with open(path, encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    slices, arrows, marks = [], {}, []
    for event in events:
        track = event['pid'], event['tid']
        if event['ph'] == 'X':
            slices.append((track, event['name'], event['ts'], round(event['ts'] + event['dur'], 3), event['args']))
        elif event['ph'] in 'sf':
            assert event['ph'] == 's' or event['bp'] == 'e', event
            arrows.setdefault(event['id'], []).append((event['ph'], track, event['ts']))
        elif event['ph'] == 'i':
            assert event['s'] == 't' and event['cat'] == 'finding', event
            marks.append((event['name'], track, event['ts'], event['args']))
    for call, ends in arrows.items():
        assert [kind for kind, _, _ in ends] == ['s', 'f'], (call, ends)
    return slices, {call: [end[1:] for end in ends] for call, ends in arrows.items()}, marks


def perfetto(path):
    with open(path, encoding='utf-8') as file:
        packets = re.split(r'^packet {\n', file.read(), flags=re.M)[1:]
    slices, arrows, marks, names, opened = [], {}, [], {}, {}
    for packet in packets:
        def get(field, default=None):
            found = re.search(r'\b' + field + r': "?(.*?)"?$', packet, re.M)
            return found.group(1) if found else default
        if 'track_descriptor' in packet:
            names[get('uuid')] = 1 if 'thread {' in packet else 2
            continue
        track = names[get('track_uuid')], get('track_uuid')
        time, kind = int(get('timestamp')), get('type')
        name = re.findall(r'^    name: "(.*)"$', packet, re.M)
        args = {key: text or int(number) for number, text, key in re.findall(
            r'debug_annotations {\s+(?:uint_value: (\d+)|string_value: "(.*)")\s+name: "(.*)"', packet)}
        if kind == 'TYPE_SLICE_BEGIN':
            opened[track] = (track, name[0], time, args)
            if get('flow_ids'):
                arrows.setdefault(int(get('flow_ids')), []).append((track, time))
        elif kind == 'TYPE_SLICE_END':
            track, name, begin, args = opened.pop(track)
            slices.append((track, name, begin, time, args))
        elif kind != 'TYPE_COUNTER':
            assert kind == 'TYPE_INSTANT' and get('categories') == 'finding', packet
            marks.append((name[0], track, time, args))
    return slices, arrows, marks


def slice_at(slices, track, time, call):
    found = [one for one in slices if one[0] == track and one[2] <= time <= one[3] and one[4]['call'] == call]
    assert len(found) == 1, (track, time, call, found)
    return found[0]


def main():
    form, run, rule, *places = sys.argv[1:]
    slices, arrows, marks = {'chrome': chrome, 'perfetto': perfetto}[form](f'{run}.{form}')
    commands = [one for one in slices if one[0][0] == 2]
    assert commands and len(arrows) == len(commands), (len(arrows), len(commands))
    for call, ((begin, begun), (end, ended)) in arrows.items():
        assert begin[0] == 1 and end[0] == 2, (call, begin, end)
        assert slice_at(slices, begin, begun, call)[1].startswith('clEnqueue'), call
        slice_at(slices, end, ended, call)
    launches = [one for one in commands if 'global_size' in one[4]]
    assert launches and all('=buffer#' in one[4]['arguments'] for one in launches), launches
    got = []
    for name, track, time, args in marks:
        assert name == rule and args['severity'] == 'error' and args['message'], (name, args)
        got.append(('thread:' if track[0] == 1 else 'queue:') + slice_at(slices, track, time, args['call'])[1])
    assert sorted(got) == sorted(places), got


main()
