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
    const found = { commands: [], debuggers: [] };
    const disposable = {};
    const vscode = {
        commands: { registerCommand: (name) => (found.commands.push(name), disposable) },
        debug: {
            registerDebugAdapterDescriptorFactory: (type, factory) => (found.debuggers.push([type, factory]), disposable),
            registerDebugConfigurationProvider: () => disposable,
        },
        window: { createOutputChannel: () => disposable },
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
    return found;
}

const found = registered();
assert.deepStrictEqual(found.commands, manifest.contributes.commands.map((at) => at.command));
assert.deepStrictEqual(found.debuggers.map((at) => at[0]), manifest.contributes.debuggers.map((at) => at.type));
assert.deepStrictEqual(found.debuggers[0][1].createDebugAdapterDescriptor().words, ["/opt/clerk", "dap"]);

const { pattern } = manifest.contributes.problemMatchers[0];
const line = "dir/k.cl:3:12: error: work-items 0 and 63 of work-group 0 race on 4 bytes [race-global]";
const match = new RegExp(pattern.regexp).exec(line);
assert.deepStrictEqual([pattern.file, pattern.line, pattern.column, pattern.severity, pattern.code].map((at) => match[at]),
                       ["dir/k.cl", "3", "12", "error", "race-global"]);

const lines = require(path.join(directory, "lines.js"));
assert.deepStrictEqual(lines.ofLanes({
    vectors: [{ vector: 0, signs: "A.." }],
    places: [{ sign: "A", place: { function: "k", line: 9 }, state: "active", count: 1, items: "0" }],
}), ["   0  A..", "", "   A  k:9: 1 item (0)"]);
assert.deepStrictEqual(lines.ofDifferences({ values: [{ value: "undef", count: 2, items: "0-1" }], more: 3 }),
                       ["undef: 2 items (0-1)", "... and 3 more"]);
assert.strictEqual(lines.ofWriter("sum", {
    writer: { position: "1:20", item: [3, 0, 0], count: 2, place: { function: "k", line: 9 }, before: "undef", after: "nan" },
}), "sum: nan, was undef, written by item 3,0,0 and 1 more at k:9");
console.log("the extension is whole");
