// The extension for VS Code without VS Code: what its manifest names is there, its problem matcher reads what clerk
// prints, and its lines are those of the answers.
//
//     node extension_test.js DIRECTORY
const assert = require("assert");
const fs = require("fs");
const path = require("path");

const directory = process.argv[2];
const manifest = JSON.parse(fs.readFileSync(path.join(directory, "package.json"), "utf8"));

function registered() {
    const found = { commands: new Map(), debuggers: [], views: [] };
    const disposable = {};
    const vscode = {
        ViewColumn: { Beside: -2 },
        commands: { registerCommand: (name, run) => (found.commands.set(name, run), disposable) },
        debug: {
            registerDebugAdapterDescriptorFactory: (type, factory) => (found.debuggers.push([type, factory]), disposable),
            registerDebugAdapterTrackerFactory: (type, factory) => (found.trackers = factory, disposable),
            registerDebugConfigurationProvider: () => disposable,
        },
        window: {
            createOutputChannel: () => disposable,
            createWebviewPanel(kind, title) {
                const view = { title, webview: { onDidReceiveMessage: (run) => (view.click = run) },
                               onDidDispose: (run) => (view.close = run) };
                found.views.push(view);
                return view;
            },
        },
        workspace: { getConfiguration: () => ({ get: () => "/opt/clerk" }) },
        DebugAdapterExecutable: class {
            constructor(command, args) {
                this.words = [command, ...args];
            }
        },
    };
    const Module = require("module");
    const load = Module._load;
    Module._load = (request, ...rest) => (request === "vscode" ? vscode : load(request, ...rest));
    require(path.join(directory, manifest.main)).activate({ subscriptions: [] });
    Module._load = load;
    return { ...found, vscode };
}

const found = registered();
assert.deepStrictEqual([...found.commands.keys()], manifest.contributes.commands.map((at) => at.command));
assert.deepStrictEqual(found.debuggers.map((at) => at[0]), manifest.contributes.debuggers.map((at) => at.type));
assert.deepStrictEqual(found.debuggers[0][1].createDebugAdapterDescriptor().words, ["/opt/clerk", "dap"]);

const { pattern } = manifest.contributes.problemMatchers[0];
const line = "dir/k.cl:3:12: error: work-items 0 and 63 of work-group 0 race on 4 bytes [race-global]";
const match = new RegExp(pattern.regexp).exec(line);
assert.deepStrictEqual([pattern.file, pattern.line, pattern.column, pattern.severity, pattern.code].map((at) => match[at]),
                       ["dir/k.cl", "3", "12", "error", "race-global"]);

const lines = require(path.join(directory, "lines.js"));
assert.deepStrictEqual(lines.ofDifferences({ values: [{ value: "undef", count: 2, items: "0-1" }], more: 3 }),
                       ["undef: 2 items (0-1)", "... and 3 more"]);
assert.strictEqual(lines.ofWriter("sum", {
    writer: { position: "1:20", item: [3, 0, 0], count: 2, place: { function: "k", line: 9 }, before: "undef", after: "nan" },
}), "sum: nan, was undef, written by item 3,0,0 and 1 more at k:9");

// What panels show.
const html = require(path.join(directory, "html.js"));
const lanes = {
    vectors: [{ vector: 0, signs: ".A  " }, { vector: 1, signs: "b|" }],
    places: [{ sign: "A", place: { function: "k<", line: 9 }, state: "active", count: 1, items: "1" },
             { sign: "b", place: { function: "k", line: 12 }, state: "active", count: 1, items: "64" },
             { sign: "|", place: { function: "k", line: 8 }, state: "barrier", count: 1, items: "65" },
             { sign: ".", state: "ended", count: 1, items: "0" }],
};
const shownLanes = html.ofLanes(lanes, { vector: 0, lane: 1 });
assert.deepStrictEqual(shownLanes.replace(/<[^>]*>/g, "").split("\n"),
                       ["   0  .A  ", "   1  b|", "", "   A  k&#60;:9: 1 item (1)", "   b  k:12: 1 item (64)", "   |  k:8, barrier: 1 item (65)",
                        "   .  ended: 1 item (0)"]);
assert(shownLanes.includes('<span class="p0 focus" data-item="1" title="item 1: k&#60;:9">A</span>'));
assert(shownLanes.includes('<span class="p2" data-item="65" title="item 65: k:8, barrier">|</span>'));
assert(shownLanes.includes('<span class="none" data-item="0" title="item 0: ended">.</span>'));
const image = { text: "3D image 'a<b' (2 x 1 x 3 texels)", width: 2, height: 1, slice: 0, slices: 3, step: 2, black: 0.5, white: 2,
                undefined: true, png: "iVBO+/=" };
const shownImage = html.ofImage(image, "from");
assert(shownImage.startsWith("<p>from = 3D image &#39;a&#60;b&#39;"));
assert(shownImage.includes('src="data:image/png;base64,iVBO+/="'));
assert(shownImage.includes('slice 0 of 0 to 2 <a data-slice="1">') && !shownImage.includes('data-slice="-1"'));
assert(shownImage.includes("one texel in 2 each way; black is 0.5, white 2; what is undefined is transparent"));
assert(!html.ofImage({ ...image, slices: 1, step: 1, undefined: false, black: undefined }, "from").includes("slice"));
assert(html.page("<b>", "77").includes("script-src 'nonce-77'"));

// Panels ask again at each stop, and a click moves the focus.
async function panels() {
    const asked = [];
    const answers = { "clerk/lanes": lanes, "clerk/position": { stop: { focus: { vector: 0, lane: 1 } } }, "clerk/image": image };
    const session = {
        type: "clerk",
        async customRequest(name, args) {
            asked.push([name, args]);
            if (args && args.slice === 1)
                throw new Error("no <such> slice");
            return answers[name];
        },
    };
    const stop = async () => {
        found.trackers.createDebugAdapterTracker(session).onDidSendMessage({ type: "event", event: "stopped" });
        await new Promise(setImmediate);
    };
    found.vscode.debug.activeDebugSession = session;
    await stop();
    assert.deepStrictEqual(asked, []);
    await found.commands.get("clerk.showLanes")();
    await found.commands.get("clerk.showImage")({ variable: { name: "from", evaluateName: "from" } });
    assert.deepStrictEqual(found.views.map((view) => view.title), ["clerk: work-items", "clerk: from"]);
    const [first, second] = found.views;
    assert(first.webview.html.includes(shownLanes) && second.webview.html.includes(shownImage));
    await first.click({ item: 65 });
    assert.deepStrictEqual(asked.pop(), ["clerk/focus", { item: 65 }]);
    await second.click({ slice: 1 });
    assert(second.webview.html.includes("<p>no &#60;such&#62; slice</p>"));
    asked.length = 0;
    await stop();
    assert.deepStrictEqual(asked.map((at) => at[0]), ["clerk/lanes", "clerk/image", "clerk/position"]);
    first.close();
    second.close();
    await stop();
    assert.strictEqual(asked.length, 3);
}
panels().then(() => console.log("the extension is whole"));
