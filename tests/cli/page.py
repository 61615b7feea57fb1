"""Opens a page of clerk export --format html in headless Chromium and uses it as a reader would.

    page.py small PAGE SHOWN PICTURE   the sample run: SHOWN is what clerk show tells of its calls; leaves a PICTURE
    page.py large PAGE CALLS           a run of CALLS calls: takes less than two seconds to open
    page.py report PAGE                a report with a race, and no calls
    page.py narrow PAGE                a page with findings in long lines, on a telephone
    page.py marks PAGE                 a run with a race in a kernel
    page.py lines PAGE                 a run whose lines were counted
    page.py compared PAGE              two runs, of which the second has one call more, a clFlush
    page.py picture PAGE PICTURE       leaves a PICTURE
"""
import base64
import itertools
import json
import os
import subprocess
import sys
import tempfile


class Browser:
    """Chromium, driven through its pipe: messages are JSON, a NUL after each."""

    def __init__(self, directory):
        self.numbers = itertools.count(1)
        self.errors = []
        self.rest = b''
        self.is_loaded = False
        command, commands = os.pipe()
        answers, answer = os.pipe()

        def wire():  # Chromium reads from 3 and writes to 4
            high = [os.dup(command), os.dup(answer)]
            while min(high) < 10:
                high = [os.dup(end) for end in high]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            ['chromium', '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
             '--remote-debugging-pipe', '--host-resolver-rules=MAP * ~NOTFOUND', '--window-size=1200,900',
             '--user-data-dir=' + directory, 'about:blank'],
            preexec_fn=wire, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(command)
        os.close(answer)
        self.commands, self.answers, self.session = commands, answers, None
        target = self.send('Target.createTarget', url='about:blank')['targetId']
        self.session = self.send('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        for domain in 'Page', 'Runtime', 'Network':
            self.send(domain + '.enable')

    def receive(self):
        while b'\0' not in self.rest:
            piece = os.read(self.answers, 1 << 16)
            assert piece, 'Chromium ended'
            self.rest += piece
        message, self.rest = self.rest.split(b'\0', 1)
        message = json.loads(message)
        if message.get('method') == 'Runtime.exceptionThrown':
            self.errors.append(message['params']['exceptionDetails'])
        if message.get('method') == 'Page.loadEventFired':
            self.is_loaded = True
        if message.get('method') == 'Network.requestWillBeSent':
            url = message['params']['request']['url']
            assert url.startswith(('file:', 'about:', 'data:')), 'the page asks for ' + url
        return message

    def send(self, method, **parameters):
        number = next(self.numbers)
        message = {'id': number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.commands, data):]
        while True:
            message = self.receive()
            if message.get('id') == number:
                assert 'error' not in message, (method, message)
                return message['result']

    def ask(self, script):
        answer = self.send('Runtime.evaluate', expression=script, returnByValue=True, awaitPromise=True)
        assert 'exceptionDetails' not in answer, answer
        return answer['result'].get('value')

    def open(self, path):
        self.is_loaded = False
        self.send('Page.navigate', url='file://' + os.path.abspath(path))
        while not self.is_loaded:
            self.receive()
        assert not self.errors, self.errors
        assert self.ask('document.documentElement.dataset.drawn'), 'the page was not drawn'

    def press(self, key, code=0):
        text = key if len(key) == 1 else ''
        for kind in 'keyDown', 'keyUp':
            self.send('Input.dispatchKeyEvent', type=kind, key=key, text=text if kind == 'keyDown' else '',
                      windowsVirtualKeyCode=code)
        self.ask('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')

    def be_wide(self, width):
        self.send('Emulation.setDeviceMetricsOverride', width=width, height=800, deviceScaleFactor=1, mobile=width < 500)

    def picture(self, path):
        size = self.send('Page.getLayoutMetrics')['cssContentSize']
        data = self.send('Page.captureScreenshot', captureBeyondViewport=True,
                         clip={'x': 0, 'y': 0, 'width': 1200, 'height': min(size['height'], 1080), 'scale': 1})['data']
        with open(path, 'wb') as file:
            file.write(base64.b64decode(data))

    def close(self):
        self.send('Browser.close')
        self.process.wait(30)
        assert not self.errors, self.errors


def equal(what, got, wanted):
    assert got == wanted, f'{what}: {got!r} instead of {wanted!r}'


def text_of(selector):
    return f'document.querySelector({selector!r}).textContent'


LISTED = '[...document.querySelectorAll("#list .row")].map(row => row.textContent)'
SPAN = 'to - from'


def small(browser, page, shown, picture):
    browser.open(page)
    readable(browser)
    # Words that were cut into forms and numbers are put together again as they were.
    with open(shown, encoding='utf-8') as file:
        lines = [line.rstrip('\n') for line in file][1:]
    wanted = [line[line.index('cl', line.index('ns')):] for line in lines]
    equal('the calls', [row[row.index('cl'):] for row in browser.ask(LISTED)], wanted)
    equal('the finding', browser.ask(text_of('article h3')), 'error: [handle-foreign] 0xdead is not a kernel')
    equal('the rows', browser.ask('[...document.querySelectorAll("#timeline .name")].map(e => e.textContent)'),
          ['thread 1', 'thread 2', 'queue#1', 'queue#1'])
    equal('the launch', browser.ask('document.querySelectorAll("#timeline .launch").length'), 1)
    equal('what has no times', browser.ask('document.querySelectorAll("#timeline .guess").length'), 1)
    facts = browser.ask('[...document.querySelectorAll("#facts div")].map(e => e.textContent)')
    assert '1launch' in facts and '2threads' in facts, facts
    # By the keyboard alone.
    browser.ask('document.getElementById("timeline").focus()')
    whole = browser.ask(SPAN)
    browser.press('+')
    assert abs(browser.ask(SPAN) - whole / 2) < 20, 'the plus key does not zoom'
    browser.press('0')
    equal('the whole run', browser.ask(SPAN), whole)
    browser.press('ArrowRight', 39)
    browser.press('ArrowRight', 39)
    assert 'call 2, thread 1' in browser.ask(text_of('#detail')), browser.ask(text_of('#detail'))
    browser.press('ArrowDown', 40)
    assert 'thread 2' in browser.ask(text_of('#detail')), browser.ask(text_of('#detail'))
    browser.press('ArrowDown', 40)
    assert 'enqueued by call 13' in browser.ask(text_of('#detail')), browser.ask(text_of('#detail'))
    browser.press('ArrowDown', 40)
    assert 'WriteBuffer buffer#2' in browser.ask(text_of('#detail')), browser.ask(text_of('#detail'))
    # The filters.
    browser.ask('document.getElementById("failed").click()')
    equal('failed calls', len(browser.ask(LISTED)), 1)
    browser.ask('document.getElementById("failed").click()')
    browser.ask('document.getElementById("filter").value = "clcreatebuffer"; filter()')
    equal('filtered calls', len(browser.ask(LISTED)), 2)
    browser.ask('document.getElementById("filter").value = ""; filter()')
    # A link to a call.
    browser.ask('document.querySelector("#launches a").click()')
    browser.ask('new Promise(done => setTimeout(done, 100))')
    assert 'call 13, thread 2' in browser.ask(text_of('#detail')), browser.ask(text_of('#detail'))
    # Light and dark.
    paper = 'getComputedStyle(document.body).backgroundColor'
    colours = []
    for scheme in 'light', 'dark':
        browser.send('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        colours.append(browser.ask(paper))
    equal('the paper', colours, ['rgb(255, 255, 255)', 'rgb(20, 23, 27)'])
    browser.picture(picture)
    with open(picture, 'rb') as file:
        equal('the picture', file.read(8), b'\x89PNG\r\n\x1a\n')


def large(browser, page, calls):
    # The time of the page's own thread on a processor: the machine may be busy with something else.
    browser.send('Performance.enable', timeDomain='threadTicks')
    browser.open(page)
    metrics = {metric['name']: metric['value'] for metric in browser.send('Performance.getMetrics')['metrics']}
    print(f"the page took {metrics['TaskDuration']:.3f} s")
    assert metrics['TaskDuration'] < 2, metrics
    equal('the calls', browser.ask('count'), int(calls))
    browser.ask('list.scrollTop = list.scrollHeight; drawList()')
    assert browser.ask(LISTED)[-1].lstrip().startswith(str(browser.ask('ids[count - 1]'))), 'the last call is not listed'
    elements = browser.ask('document.querySelectorAll("*").length')
    assert elements < 10000, f'the page has {elements} elements'


def report(browser, page):
    browser.open(page)
    equal('the title', browser.ask('document.title'), 'reduce.cl - clerk')
    equal('the parts', browser.ask('[...document.querySelectorAll("h2")].filter(e => e.offsetParent)'
                                   '.map(e => e.textContent)'), ['Findings', 'Where races are in memory'])
    equal('the sides', browser.ask('document.querySelectorAll("article .caret").length'), 2)
    # Elements 1 to 31 are read in one round and written in another, by two orders of work-items.
    equal('the heat', browser.ask('[...document.querySelectorAll(".heat title")].map(e => e.textContent)'),
          [f'bytes {4 * i} to {4 * i + 3}: 2 races' for i in range(1, 32)])
    equal('what the heat is of', browser.ask(text_of('#memory p')),
          "local memory 'partial' (256 bytes): 62 races within bytes 4 to 127")


# What reaches beyond the page, and is not in a box that scrolls by itself.
WIDE = """[...document.body.querySelectorAll('*')].filter(element => {
    const edge = element.getBoundingClientRect();
    for (let parent = element.parentElement; parent !== document.body; parent = parent.parentElement)
        if (['auto', 'hidden'].includes(getComputedStyle(parent).overflowX)) return false;
    return edge.width && edge.right > document.documentElement.clientWidth + 1;
}).map(element => element.outerHTML.slice(0, 80))"""
# Carets that the boxes of their lines do not show.
UNSEEN = """[...document.querySelectorAll('.caret')].filter(caret => {
    const line = caret.closest('pre').getBoundingClientRect(), edge = caret.getBoundingClientRect();
    return edge.left < line.left || edge.right > line.right;
}).length"""


# Texts that stand out from what is behind them by less than WCAG 2 asks for.
PALE = """(() => {
    const light = colour => {
        const [r, g, b] = colour.match(/[0-9.]+/g).slice(0, 3).map(Number)
            .map(v => v / 255).map(v => v <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
        return .2126 * r + .7152 * g + .0722 * b;
    };
    const behind = element => {
        if (element.tagName === 'text' && element.previousElementSibling && element.previousElementSibling.tagName === 'rect')
            return getComputedStyle(element.previousElementSibling).fill;
        for (let parent = element; parent; parent = parent.parentElement) {
            const colour = getComputedStyle(parent).backgroundColor;
            if (colour !== 'rgba(0, 0, 0, 0)') return colour;
        }
    };
    return [...document.querySelectorAll('body *')].filter(element => {
        if (!element.getClientRects().length || ![...element.childNodes].some(node => node.nodeType === 3 && node.data.trim())) return false;
        if (['BUTTON', 'SCRIPT', 'title'].includes(element.tagName)) return false;
        const style = getComputedStyle(element), two = [light(element.tagName === 'text' ? style.fill : style.color), light(behind(element))];
        return (Math.max(...two) + .05) / (Math.min(...two) + .05) < 4.5;
    }).map(element => element.outerHTML.slice(0, 100));
})()"""


def readable(browser):
    for scheme in 'light', 'dark':
        browser.send('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
        equal(f'pale texts, {scheme}', browser.ask(PALE), [])


def fits(browser, width):
    equal(f'what is wider than {width} pixels', browser.ask(WIDE), [])
    equal('the width', browser.ask('document.documentElement.scrollWidth'), width)


def narrow(browser, page):
    browser.be_wide(360)
    browser.open(page)
    fits(browser, 360)
    assert browser.ask('document.querySelectorAll(".caret").length') >= 2, 'no line of source is shown'
    equal('carets out of sight', browser.ask(UNSEEN), 0)
    readable(browser)
    equal('the cut lines', browser.ask('[...document.querySelectorAll("article pre")].filter(e => e.scrollLeft > 0).length > 0'), True)


def marks(browser, page):
    browser.open(page)
    equal('the marks', browser.ask('[...document.querySelectorAll("#timeline .mark.error title")].map(e => e.textContent)'),
          [browser.ask(text_of('article h3'))])
    equal('the arrows', browser.ask('document.querySelectorAll("#timeline .arrow").length'), browser.ask('data.commands.length'))
    readable(browser)
    # From the finding to the call, from there to the launch, and from it back to the finding.
    browser.ask('document.querySelector("article a[href^=\\"#call-\\"]").click()')
    browser.ask('new Promise(done => setTimeout(done, 100))')
    assert 'clEnqueueNDRangeKernel(' in browser.ask(text_of('#detail')), browser.ask(text_of('#detail'))
    equal('the call', browser.ask('chosen.command === undefined'), True)
    equal('the link to the launch', browser.ask(text_of('#detail a[href^="#command-"]')), 'launch of shift')
    browser.ask('document.querySelector("#detail a").click()')
    browser.ask('new Promise(done => setTimeout(done, 100))')
    equal('the launch', browser.ask('chosen.command[1]'), 'shift')
    equal('its arrow', browser.ask('document.querySelectorAll("#timeline .arrow.is-chosen").length'), 1)
    assert 'a=buffer#' in browser.ask(text_of('#detail')), browser.ask(text_of('#detail'))
    equal('the finding of the launch', browser.ask('document.querySelector("#detail a[href^=\\"#finding-\\"]").hash'), '#finding-0')
    equal('the card', browser.ask('document.getElementById("finding-0").tagName'), 'ARTICLE')
    equal('links in the list', browser.ask('document.querySelectorAll("#list .row a").length'), browser.ask('data.commands.length'))
    # The line of the finding is one of the program.
    equal('the line', browser.ask('document.querySelector(document.querySelector("article a").hash).textContent.includes("bounds-global")'), True)
    browser.be_wide(360)
    browser.ask('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    fits(browser, 360)


def lines(browser, page):
    browser.open(page)
    shown = browser.ask('[...document.querySelectorAll("#programs .executed")].map(e => e.textContent)')
    equal('the lines', [line[8:12].strip() for line in shown], ['3', '5', '6', '7', '8', '13', '14', '15', '16', '17'])
    assert abs(sum(float(line[:5]) for line in shown) - 100) < 1, shown
    assert shown[3].endswith('sum = sum * 3 + k;  ◀ 50 % idle'), shown[3]
    assert shown[8].endswith('  ◀ uncoalesced 32.0x bank conflicts 32.0x'), shown[8]
    warmth = browser.ask('[...document.querySelectorAll("#programs .executed")].map(e => +e.style.background.match(/[.0-9]+(?=\\))/)[0])')
    equal('the hottest line', warmth.index(max(warmth)), 2)
    browser.be_wide(360)
    fits(browser, 360)


PAIRS = '[...document.querySelectorAll("#pairs .row")].map(row => row.textContent)'


def compared(browser, page):
    browser.open(page)
    equal('the title', browser.ask('document.title'), 'usual.db and flush.db - clerk')
    equal('the parts', browser.ask('[...document.querySelectorAll("h2")].filter(e => e.offsetParent)'
                                   '.map(e => e.textContent)'), ['Both runs'])
    assert '1  clFlush, only in the second run' in browser.ask(text_of('#difference')), browser.ask(text_of('#difference'))
    browser.ask('document.getElementById("next").click()')
    assert 'only in the second run' in browser.ask(text_of('#both')), browser.ask(text_of('#both'))
    assert 'no such call' in browser.ask(text_of('#both')), browser.ask(text_of('#both'))
    browser.ask('document.getElementById("different").click()')
    pairs = browser.ask(PAIRS)
    assert len(pairs) == 1 and pairs[0].startswith('≠') and 'clFlush(' in pairs[0], pairs
    browser.ask('document.getElementById("different").click()')
    browser.ask('document.getElementById("wanted").value = "\'saxpy\'"; document.getElementById("wanted").dispatchEvent(new Event("input"))')
    equal('the launches', len(browser.ask(PAIRS)), 5)
    readable(browser)
    browser.be_wide(360)
    browser.ask('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    fits(browser, 360)


def main():
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as directory:
        browser = Browser(directory)
        if sys.argv[1] == 'small':
            small(browser, *sys.argv[2:])
        elif sys.argv[1] == 'large':
            large(browser, *sys.argv[2:])
        elif sys.argv[1] in ('report', 'narrow', 'marks', 'lines', 'compared'):
            {'report': report, 'narrow': narrow, 'marks': marks, 'lines': lines, 'compared': compared}[sys.argv[1]](
                browser, *sys.argv[2:])
        else:
            browser.open(sys.argv[2])
            browser.picture(sys.argv[3])
        browser.close()


main()
