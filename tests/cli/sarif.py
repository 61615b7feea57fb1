"""Is a report valid SARIF?

    sarif.py SCHEMA REPORT RESULTS RELATED   it fits the schema, has so many results, and the first one has so many
                                             related locations; results name the rules that stand at their index
    And what GitHub asks of a file: it refuses results without a line of a file, and keeps 5000 of a run.
"""
import json
import sys

import jsonschema


def check_for_github(run):
    results = run['results']
    assert len(results) <= 5000, f'{len(results)} results'
    for rule in run['tool']['driver']['rules']:
        for text in 'shortDescription', 'fullDescription', 'help':
            assert rule[text]['text'], f"{rule['id']} has no {text}"
    for result in results:
        assert result['message']['text'], 'no message'
        places = [place['physicalLocation'] for place in result['locations']]
        assert places and places[0]['artifactLocation']['uri'], 'no file'
        assert places[0]['region']['startLine'] >= 1, 'no line'
        assert len(places) + len(result.get('relatedLocations', [])) <= 1000, 'too many locations'
    fingerprints = [tuple(result['partialFingerprints'].items()) for result in results]
    assert len(set(fingerprints)) == len(fingerprints), 'two results are one to who compares fingerprints'


def main():
    schema, report = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:3])
    jsonschema.Draft7Validator.check_schema(schema)
    jsonschema.validate(report, schema, jsonschema.Draft7Validator)
    run = report['runs'][0]
    rules, results = run['tool']['driver']['rules'], run['results']
    assert len(results) == int(sys.argv[3]), f'{len(results)} results'
    for result in results:
        assert rules[result['ruleIndex']]['id'] == result['ruleId'], result['ruleId']
    check_for_github(run)
    related = [place for result in results[:1] for place in result.get('relatedLocations', [])]
    assert len(related) == int(sys.argv[4]), f'{len(related)} related locations'
    assert len({place['id'] for place in related}) == len(related), 'ids of related locations are not unique'


main()
