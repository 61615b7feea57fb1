// clerk dap, driven by the client that VS Code's own adapters are tested with. Each case is a function; afterwards all
// that the server wrote is judged by the types of the protocol.
//
//     node dap_test.js CLERK DIRECTORY [CASE]      run where node_modules of package.json is found; DIRECTORY is for files
const assert = require("assert");
const path = require("path");
const { spawn, spawnSync } = require("child_process");
const { DebugClient } = require("@vscode/debugadapter-testsupport");
const { judge } = require("./messages");

const [clerk, directory, only] = process.argv.slice(2);
const file = path.join(__dirname, "scale.cl");
const source = { path: file };
const launch = { file, global: 64, arguments: ["buf:float[64]=iota", "buf:float[64]"] };
const LINE_OF_Y = 8, LINE_OF_LOOP = 20, LINE_OF_CALL = 21, LINE_OF_OUT = 24, LINE_OF_BOUNDS = 4, LINE_OF_LAST = 20;

const messages = [];

// A client that keeps what it is sent, and what events came.
async function start(port) {
    const client = new DebugClient(clerk, "dap", "clerk");
    const dispatch = client.dispatch.bind(client);
    client.defaultTimeout = 20000;
    client.dispatch = (body) => {
        messages.push(JSON.parse(body));
        dispatch(body);
    };
    await client.start(port);
    return client;
}

async function stopAt(client, line, more = {}) {
    await Promise.all([
        client.hitBreakpoint({ ...launch, ...more }, { path: file, line }),
    ]);
}

async function top(client) {
    const { threads } = (await client.threadsRequest()).body;
    const { stackFrames } = (await client.stackTraceRequest({ threadId: threads[0].id })).body;
    return { threads, frames: stackFrames, threadId: threads[0].id, frameId: stackFrames[0].id };
}

// Item 0 of values.cl behind its barrier.
async function stopInValues(client, more = {}) {
    const values = path.join(__dirname, "values.cl");
    await client.hitBreakpoint({ file: values, global: 8, local: 8, arguments: ["buf:int[64]", "buf:float[64]", "local:int[8]"], ...more },
                               { path: values, line: 18 });
    return top(client);
}

// Does what makes the process go on, and tells where it stops.
async function go(client, request) {
    await Promise.all([request, client.waitForEvent("stopped")]);
    return top(client);
}

async function scopeOf(client, frameId, name) {
    const { scopes } = (await client.scopesRequest({ frameId })).body;
    const scope = scopes.find((at) => at.name === name);
    assert(scope, `there is no scope ${name}`);
    const { variables } = (await client.variablesRequest({ variablesReference: scope.variablesReference })).body;
    return { scope, variables };
}

async function evaluate(client, frameId, expression) {
    return (await client.evaluateRequest({ expression, frameId, context: "watch" })).body.result;
}

// A run of four launches, of which three find the same, recorded once.
const build = path.dirname(path.dirname(clerk));
const program = path.join(build, "tests", "launches");
function recorded() {
    const trace = path.join(directory, "launches.db");
    const { status } = spawnSync(clerk, ["run", "--device", "reference", "-o", trace, "--", program, "again"]);
    assert.strictEqual(status, 99);
    const { stdout } = spawnSync(clerk, ["show", trace, "launches", "--json"], { encoding: "utf8" });
    return { trace, launches: stdout.trim().split("\n").map((line) => JSON.parse(line)) };
}

const cases = {
    async opens_a_recorded_launch(client) {
        const { trace, launches } = recorded();
        const third = launches[3];
        const stopped = client.waitForEvent("stopped");
        await Promise.all([client.configurationSequence(), client.launch({ trace, launch: third.call, stopOnEntry: true }), stopped]);
        const { frames } = await top(client);
        assert.strictEqual(frames[0].name, "count");
        assert.strictEqual(frames[0].source.name, "<source>");
        const { content } = (await client.sourceRequest({ sourceReference: frames[0].source.sourceReference })).body;
        assert(content.includes("kernel void count"));
        const who = async (expression) => (await client.customRequest("clerk/who", { expression })).body;
        const before = await who("in[3]");
        assert.deepStrictEqual([before.earlier.item, before.earlier.place.function], [[3, 0, 0], "fill"]);
        assert.match(before.text, /^not written in this launch before; earlier: written in launch \d+ by fill, line 6: 1, was /);
        assert.match((await who("in[13]")).text, /; earlier: never written: clCreateBuffer, call \d+, gave it no value\n$/);
        await assert.rejects(client.launch({ trace, launch: 1 }), /process already/);
    },

    async opens_a_finding(client) {
        const { trace } = recorded();
        const told = client.assertOutput("console", "error: [uninitialised-branch]");
        const stopped = client.waitForEvent("stopped");
        await Promise.all([client.configurationSequence(), client.launch({ trace, finding: 1 }), stopped]);
        assert.strictEqual((await stopped).body.text, "uninitialised-branch");
        const { frames } = await top(client);
        assert.strictEqual(frames[0].line, 9);
        await told;
    },

    async refuses_what_is_no_launch(client) {
        const { trace } = recorded();
        await assert.rejects(client.launch({ trace, launch: 1 }), /call 1 launched no kernel/);
    },

    async debugs_a_program(client) {
        const launched = client.launch({ program, args: ["written"] });
        await client.waitForEvent("initialized");
        await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "count" }] });
        const stopped = client.waitForEvent("stopped");
        await Promise.all([client.configurationDoneRequest(), launched, stopped]);
        const { frames, threadId } = await top(client);
        assert.strictEqual(frames[0].name, "count");
        await client.setFunctionBreakpointsRequest({ breakpoints: [] });
        const exited = client.waitForEvent("exited");
        await client.continueRequest({ threadId });
        assert.strictEqual((await exited).body.exitCode, 0);
    },

    async runs_to_the_end(client) {
        const printed = client.assertOutput("stdout", "five: ");
        const exited = client.waitForEvent("exited");
        await Promise.all([client.configurationSequence(), client.launch(launch), client.waitForEvent("terminated")]);
        assert.strictEqual((await exited).body.exitCode, 0);
        await printed;
    },

    async stops_at_a_line(client) {
        await stopAt(client, LINE_OF_OUT);
        const { frames, threads } = await top(client);
        assert.strictEqual(frames[0].line, LINE_OF_OUT);
        assert.strictEqual(frames[0].name, "scale");
        assert.strictEqual(frames[0].source.path, file);
        assert(threads.length >= 1);
    },

    async stops_at_a_function(client) {
        const launched = client.launch(launch);
        await client.waitForEvent("initialized");
        const { breakpoints } = (await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "square" }] })).body;
        assert.strictEqual(breakpoints[0].verified, true);
        await Promise.all([launched, client.configurationDoneRequest(), client.waitForEvent("stopped")]);
        const { frames } = await top(client);
        assert.strictEqual(frames[0].name, "square");
        assert.strictEqual(frames[1].name, "scale");
        assert.strictEqual(frames[1].line, LINE_OF_CALL);
    },

    async a_condition_chooses_the_item(client) {
        const launched = client.launch(launch);
        await client.waitForEvent("initialized");
        await client.setBreakpointsRequest({ source, breakpoints: [{ line: LINE_OF_OUT, condition: "i == 7" }] });
        await Promise.all([launched, client.configurationDoneRequest(), client.waitForEvent("stopped")]);
        const { frameId } = await top(client);
        assert.strictEqual(await evaluate(client, frameId, "i"), "7");
        assert.strictEqual(await evaluate(client, frameId, "acc"), "147");
    },

    async steps_in_and_out(client) {
        await stopAt(client, LINE_OF_LOOP);
        let at = await top(client);
        for (let i = 0; i < 5 && at.frames[0].name !== "square"; ++i)
            at = await go(client, client.stepInRequest({ threadId: at.threadId }));
        assert.strictEqual(at.frames[0].name, "square");
        assert.strictEqual(at.frames[0].line, LINE_OF_Y);
        at = await go(client, client.stepOutRequest({ threadId: at.threadId }));
        assert.deepStrictEqual(at.frames.map((frame) => frame.name), ["scale"]);
        for (let i = 0; i < 10; ++i) {
            assert.strictEqual(at.frames[0].name, "scale");
            at = await go(client, client.nextRequest({ threadId: at.threadId }));
            if (at.frames[0].line === LINE_OF_OUT)
                return;
        }
        assert.fail("next does not come to the last line");
    },

    async steps_back(client) {
        await stopAt(client, LINE_OF_OUT);
        let at = await top(client);
        assert.strictEqual(await evaluate(client, at.frameId, "acc"), "0");
        const { position } = (await client.customRequest("clerk/position")).body;
        at = await go(client, client.stepBackRequest({ threadId: at.threadId }));
        assert.strictEqual(at.frames[0].line, LINE_OF_OUT - 2);
        at = await go(client, client.stepBackRequest({ threadId: at.threadId, granularity: "instruction" }));
        await client.setBreakpointsRequest({ source, breakpoints: [{ line: LINE_OF_CALL, condition: "i == 9" }] });
        at = await go(client, client.reverseContinueRequest({ threadId: at.threadId }));
        assert.strictEqual(at.frames[0].line, LINE_OF_CALL);
        assert.strictEqual(await evaluate(client, at.frameId, "j"), "2");
        assert.strictEqual(await evaluate(client, at.frameId, "acc"), "81");
        const stopped = client.waitForEvent("stopped");
        await go(client, client.customRequest("clerk/goto", { position }));
        assert.strictEqual((await stopped).body.reason, "goto");
        assert.strictEqual((await client.customRequest("clerk/position")).body.position, position);
        for (let i = 0; i < 2; ++i)
            at = await go(client, client.reverseContinueRequest({ threadId: at.threadId }));
        assert.strictEqual(await evaluate(client, at.frameId, "j"), "1");
        await client.setBreakpointsRequest({ source, breakpoints: [] });
        at = await go(client, client.reverseContinueRequest({ threadId: at.threadId }));
        await Promise.all([client.continueRequest({ threadId: at.threadId }), client.waitForEvent("terminated")]);
    },

    async focuses_on_other_groups(client) {
        const launched = client.launch({ ...launch, local: 16 });
        await client.waitForEvent("initialized");
        await client.setBreakpointsRequest({ source, breakpoints: [{ line: LINE_OF_OUT, condition: "i == 40" }] });
        await Promise.all([launched, client.configurationDoneRequest(), client.waitForEvent("stopped")]);
        const [{ body: moved }] = await Promise.all([client.customRequest("clerk/focus", { item: [3] }),
                                                     client.waitForEvent("stopped")]);
        assert.match(moved.stop.text, /^item \(3,0,0\) runs from 1:/);
        const { frames } = await top(client);
        assert.strictEqual(frames[0].name, "scale");
    },

    async shows_variables(client) {
        await stopAt(client, LINE_OF_OUT);
        const { frameId } = await top(client);
        const { variables } = await scopeOf(client, frameId, "Locals");
        const named = Object.fromEntries(variables.map((at) => [at.name, at]));
        assert.strictEqual(named.i.value, "0");
        assert.strictEqual(named.acc.type, "float");
        const pair = (await client.variablesRequest({ variablesReference: named.both.variablesReference })).body.variables;
        assert.deepStrictEqual(pair.map((at) => at.name), ["first", "counts"]);
        const counts = (await client.variablesRequest({ variablesReference: pair[1].variablesReference })).body.variables;
        assert.strictEqual(counts[0].value, "0");
        assert(counts[1].value.includes("undef"), `counts[1] is ${counts[1].value}`);
        assert.strictEqual(await evaluate(client, frameId, counts[0].evaluateName), "0");
    },

    async refuses_with_a_sentence(client) {
        await stopAt(client, LINE_OF_OUT);
        const { frameId } = await top(client);
        await assert.rejects(evaluate(client, frameId, "nothing_of_this_name"), /nothing_of_this_name/);
        await assert.rejects(evaluate(client, frameId, "1 +"), /./);
        await assert.rejects(client.customRequest("clerk/nothing"), /no request/);
    },

    async lanes_and_values_that_differ(client) {
        await stopAt(client, LINE_OF_OUT);
        const lanes = (await client.customRequest("clerk/lanes")).body;
        assert.strictEqual(lanes.vectors.length, 1);
        assert.strictEqual(lanes.vectors[0].signs.length, 64);
        const differ = (await client.customRequest("clerk/differ", { expression: "i < 3" })).body;
        assert.deepStrictEqual(differ.values.map((at) => at.count), [61, 3]);
    },

    async shows_images(client) {
        const turn = path.join(__dirname, "turn.cl");
        const images = ["image2d:rgba:unorm_int8[4x2]=iota", "image2d:r:float[2x4]"];
        await client.hitBreakpoint({ file: turn, global: [4, 2], build: "-cl-std=CL3.0", arguments: images }, { path: turn, line: 4 });
        const { frameId } = await top(client);
        const { variables } = await scopeOf(client, frameId, "Arguments");
        assert.match(variables[0].value, /^2D image '.*' \(4 x 2 texels\), CL_RGBA CL_UNORM_INT8$/);
        const { variablesReference } = variables[0];
        const parts = (await client.variablesRequest({ variablesReference })).body.variables;
        assert.deepStrictEqual(parts.map((at) => [at.name, at.value]), [["width", "4"], ["height", "2"],
            ["channel_order", "CL_RGBA"], ["channel_data_type", "CL_UNORM_INT8"]]);
        assert.strictEqual(await evaluate(client, frameId, parts[0].evaluateName), "4");
        assert.strictEqual(await evaluate(client, frameId, "read_imagef(from, (int2)(1, 1)).x * 255"), "20");
        const shown = (await client.customRequest("clerk/image", { expression: "from", max: 2, frameId })).body;
        assert.deepStrictEqual([shown.width, shown.height, shown.slices, shown.step, shown.undefined], [4, 2, 1, 2, false]);
        const png = Buffer.from(shown.png, "base64");
        assert.deepStrictEqual([png.toString("latin1", 1, 4), png.readUInt32BE(16), png.readUInt32BE(20)], ["PNG", 2, 1]);
        assert.strictEqual((await client.customRequest("clerk/image", { expression: "to" })).body.undefined, true);
        await assert.rejects(client.customRequest("clerk/image", { expression: "at" }), /'at' is not an image/);
        await assert.rejects(client.customRequest("clerk/image", { expression: "from", slice: 1 }), /no such slice/);
    },

    // As a click on an item in the editor's panel does.
    async focuses_within_the_group(client) {
        await stopAt(client, LINE_OF_OUT);
        const stopped = client.waitForEvent("stopped");
        await client.customRequest("clerk/focus", { item: 5 });
        const { threadId } = (await stopped).body;
        const at = await top(client);
        assert.strictEqual(at.threadId, threadId);
        assert.strictEqual(await evaluate(client, at.frameId, "i"), "5");
    },

    async disassembles(client) {
        await stopAt(client, LINE_OF_OUT);
        const { frames } = await top(client);
        const memoryReference = frames[0].instructionPointerReference;
        assert(memoryReference);
        const { instructions } = (await client.disassembleRequest(
            { memoryReference, instructionOffset: -2, instructionCount: 5 })).body;
        assert.strictEqual(instructions.length, 5);
        assert.strictEqual(Number(instructions[2].address), Number(memoryReference));
        assert(instructions[2].instruction);
    },

    async reads_memory(client) {
        await stopAt(client, LINE_OF_OUT);
        const { frameId } = await top(client);
        const { memoryReference } = (await client.evaluateRequest({ expression: "in[0]", frameId })).body;
        assert(memoryReference, "an element has no memory reference");
        const pointer = (await client.evaluateRequest({ expression: "in", frameId })).body;
        assert.strictEqual(pointer.memoryReference, memoryReference);
        const memory = (await client.customRequest("readMemory", { memoryReference, offset: 4, count: 8 })).body;
        const bytes = Buffer.from(memory.data, "base64");
        assert.deepStrictEqual([bytes.readFloatLE(0), bytes.readFloatLE(4)], [1, 2]);
        const beyond = (await client.customRequest("readMemory", { memoryReference, offset: 252, count: 8 })).body;
        assert.strictEqual(beyond.unreadableBytes, 4);
    },

    async stops_on_entry_and_runs_until_a_line(client) {
        await Promise.all([client.configurationSequence(), client.launch({ ...launch, stopOnEntry: true }),
                           client.waitForEvent("stopped")]);
        const { threadId } = await top(client);
        const { targets } = (await client.gotoTargetsRequest({ source, line: LINE_OF_OUT })).body;
        const at = await go(client, client.gotoRequest({ threadId, targetId: targets[0].id }));
        assert.strictEqual(at.frames[0].line, LINE_OF_OUT);
    },

    async stops_where_something_is_found(client) {
        const launched = client.launch({ ...launch, file: path.join(__dirname, "wrong.cl"), kernel: "bounds",
                                         arguments: ["buf:int[64]"] });
        await client.waitForEvent("initialized");
        await client.setExceptionBreakpointsRequest({ filters: [], filterOptions: [{ filterId: "finding" }] });
        const stopped = client.waitForEvent("stopped");
        await Promise.all([launched, client.configurationDoneRequest(), stopped]);
        assert.strictEqual((await stopped).body.reason, "exception");
        const { threadId, frames } = await top(client);
        assert.strictEqual(frames[0].line, LINE_OF_BOUNDS);
        const info = (await client.exceptionInfoRequest({ threadId })).body;
        assert.match(info.exceptionId, /bounds/);
        assert.match(info.description, /outside/);
    },

    async stops_where_a_nan_is_made(client) {
        const launched = client.launch({ ...launch, file: path.join(__dirname, "wrong.cl"), kernel: "nans",
                                         arguments: ["buf:float[64]=iota"] });
        await client.waitForEvent("initialized");
        await client.setExceptionBreakpointsRequest({ filters: ["divergence"],
                                                      filterOptions: [{ filterId: "nan", condition: "i == 7" }] });
        const stopped = client.waitForEvent("stopped");
        await Promise.all([launched, client.configurationDoneRequest(), stopped]);
        const { reason, text } = (await stopped).body;
        assert.deepStrictEqual([reason, text], ["exception", "nan"]);
        const { threadId, frameId } = await top(client);
        assert.strictEqual(await evaluate(client, frameId, "i"), "7");
        const info = (await client.exceptionInfoRequest({ threadId })).body;
        assert.strictEqual(info.exceptionId, "nan");
        assert.match(info.description, /^item \(7,0,0\) and 63 more made a NaN, line 28: fdiv of 0 and 0$/);
    },

    async a_kernel_without_end_is_paused_and_ended(client) {
        await Promise.all([client.configurationSequence(),
                           client.launch({ ...launch, file: path.join(__dirname, "wrong.cl"), kernel: "endless",
                                           arguments: ["buf:int[1]=1"] })]);
        const { threads } = (await client.threadsRequest()).body;
        assert.deepStrictEqual(threads.map((at) => at.name), ["running"]);
        const stopped = client.waitForEvent("stopped");
        const { frameId } = await go(client, client.pauseRequest({ threadId: threads[0].id }));
        assert.strictEqual((await stopped).body.reason, "pause");
        assert.match(await evaluate(client, frameId, "rounds"), /^[0-9]+$/);
        await Promise.all([client.customRequest("terminate"), client.waitForEvent("terminated")]);
    },

    async what_takes_long_is_cancelled(client) {
        const wrong = path.join(__dirname, "wrong.cl");
        const launched = client.launch({ ...launch, file: wrong, kernel: "longer", arguments: ["buf:int[192]", "int=1000000"] });
        await client.waitForEvent("initialized");
        await client.setBreakpointsRequest({ source: { path: wrong }, breakpoints: [{ line: LINE_OF_LAST }] });
        await Promise.all([launched, client.configurationDoneRequest(), client.waitForEvent("stopped")]);
        const before = (await client.customRequest("clerk/position")).body.position;
        const expression = "out[3]";
        const who = client.customRequest("clerk/who", { expression });
        const seq = client.sequence - 1;
        const refused = assert.rejects(who, /cancelled/);
        await client.customRequest("cancel", { requestId: seq });
        await refused;
        assert.strictEqual((await client.customRequest("clerk/position")).body.position, before);
        const { threadId, frameId } = await top(client);
        const back = client.waitForEvent("stopped");
        const sent = client.reverseContinueRequest({ threadId });
        await client.customRequest("cancel", { requestId: client.sequence - 1 });
        await Promise.all([sent, back]);
        assert.strictEqual((await client.customRequest("clerk/position")).body.position, before);
        const told = (await client.evaluateRequest({ expression: `who ${expression}`, frameId, context: "repl" })).body.result;
        assert.match(told, /^written by item \(3,0,0\) in longer at wrong\.cl:18, position 1:[0-9]+: 3, was undef$/);
        await Promise.all([client.evaluateRequest({ expression: "go", frameId, context: "repl" }), client.waitForEvent("stopped")]);
        assert.strictEqual((await top(client)).frames[0].line, 18);
    },

    async progress_is_told_and_ends_what_runs(client) {
        await client.initializeRequest({ adapterID: "clerk", linesStartAt1: true, columnsStartAt1: true, pathFormat: "path", supportsProgressReporting: true });
        await Promise.all([client.launchRequest({ ...launch, file: path.join(__dirname, "wrong.cl"), kernel: "endless", arguments: ["buf:int[1]=1"] }),
                           client.waitForEvent("initialized")]);
        const [, began] = await Promise.all([client.configurationDoneRequest(), client.waitForEvent("progressStart")]);
        const { progressId, title, message, cancellable } = began.body;
        assert.deepStrictEqual([title, message, cancellable], ["Running", "1 s", true]);
        const ended = client.waitForEvent("progressEnd");
        const stopped = client.waitForEvent("stopped");
        await client.customRequest("cancel", { progressId });
        assert.strictEqual((await ended).body.progressId, progressId);
        assert.strictEqual((await stopped).body.reason, "pause");
    },

    async stops_where_filters_say(client) {
        const values = { file: path.join(__dirname, "values.cl"), global: 8, local: 8,
                         arguments: ["buf:int[64]", "buf:float[64]", "local:int[8]"] };
        const guesses = { ...values, file: path.join(__dirname, "wrong.cl"), kernel: "guesses", arguments: ["buf:int[64]"] };
        const expected = [["barrier", values, "barrier", 17], ["undefined", guesses, "exception", 34],
                          ["divergence", values, "exception", 18], ["launch", { program, args: ["written"] }, "entry", 9]];
        for (const [filterId, configuration, reason, line] of expected) {
            const launched = client.launch(configuration);
            await client.waitForEvent("initialized");
            await client.setExceptionBreakpointsRequest({ filters: [filterId] });
            const next = client.waitForEvent("stopped");
            await Promise.all([launched, client.configurationDoneRequest(), next]);
            const { frames } = await top(client);
            assert.deepStrictEqual([(await next).body.reason, frames[0].line], [reason, line]);
            await Promise.all([client.customRequest("terminate"), client.waitForEvent("terminated")]);
        }
    },

    async functions_have_conditions_and_lines_logs(client) {
        const launched = client.launch(launch);
        await client.waitForEvent("initialized");
        await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "square", condition: "x == 6" }] });
        const logged = client.assertOutput("stdout", "item 9 has 0");
        await client.setBreakpointsRequest({ source, breakpoints: [{ line: LINE_OF_LOOP, condition: "i == 9", logMessage: "item {i} has {acc}" }] });
        await Promise.all([launched, client.configurationDoneRequest(), client.waitForEvent("stopped")]);
        await logged;
        let at = await top(client);
        assert.strictEqual(await evaluate(client, at.frameId, "x"), "6");
        const reference = at.frames[0].instructionPointerReference;
        at = await go(client, client.stepInRequest({ threadId: at.threadId, granularity: "instruction" }));
        assert.notStrictEqual(at.frames[0].instructionPointerReference, reference);
        at = await go(client, client.stepBackRequest({ threadId: at.threadId, granularity: "instruction" }));
        assert.strictEqual(at.frames[0].instructionPointerReference, reference);
    },

    async data_that_is_watched_and_who_wrote_it(client) {
        await stopAt(client, LINE_OF_LOOP);
        let at = await top(client);
        await client.setBreakpointsRequest({ source, breakpoints: [] });
        const { scope } = await scopeOf(client, at.frameId, "Locals");
        const acc = (await client.customRequest("dataBreakpointInfo",
            { variablesReference: scope.variablesReference, name: "acc" })).body;
        assert.deepStrictEqual(acc.accessTypes, ["write"]);
        const out = (await client.customRequest("dataBreakpointInfo", { name: "out[5]", frameId: at.frameId })).body;
        assert.deepStrictEqual(out.accessTypes, ["write", "read", "readWrite"]);
        const none = (await client.customRequest("dataBreakpointInfo", { name: "1 + 1", frameId: at.frameId })).body;
        assert.strictEqual(none.dataId, null);
        const set = (breakpoints) => client.customRequest("setDataBreakpoints", { breakpoints });
        const made = (await set([{ dataId: acc.dataId, condition: "acc > 0" },
                                 { dataId: out.dataId, accessType: "write" }])).body.breakpoints;
        assert.deepStrictEqual(made.map((one) => one.verified), [true, true]);
        const stopped = client.waitForEvent("stopped");
        at = await go(client, client.continueRequest({ threadId: at.threadId }));
        const { reason, description, hitBreakpointIds } = (await stopped).body;
        assert.strictEqual(reason, "data breakpoint");
        assert.match(description, /^out\[5\] is written by item \(5,0,0\)/);
        assert.deepStrictEqual(hitBreakpointIds, [made[1].id]);
        const { writer } = (await client.customRequest("clerk/who", { expression: "out[5]" })).body;
        assert.deepStrictEqual([writer.item, writer.before], [[5, 0, 0], "undef"]);
        const { position, vector, lane } = writer;
        at = await go(client, client.customRequest("clerk/goto", { position, vector, lane }));
        assert.strictEqual(await evaluate(client, at.frameId, "i"), "5");
        assert.strictEqual(await evaluate(client, at.frameId, "out[5]"), "undef");
        await set([]);
        await Promise.all([client.continueRequest({ threadId: at.threadId }), client.waitForEvent("terminated")]);
    },

    async bytes_are_watched_and_written(client) {
        const { frameId, threadId } = await stopInValues(client);
        const { memoryReference } = (await client.evaluateRequest({ expression: "out[1]", frameId })).body;
        const written = (await client.customRequest("writeMemory", { memoryReference, offset: -12, data: "AAAoQg==" })).body;
        assert.strictEqual(written.bytesWritten, 4);
        assert.strictEqual(await evaluate(client, frameId, "out[0].y"), "42");
        await assert.rejects(client.customRequest("writeMemory", { memoryReference, data: "?" }), /base64/);
        await assert.rejects(client.customRequest("writeMemory", { memoryReference, offset: 4096, data: "AAAA" }), /cannot be changed/);
        const info = (more) => client.customRequest("dataBreakpointInfo", more).then((answer) => answer.body);
        const four = await info({ name: memoryReference, asAddress: true, bytes: 4 });
        assert.deepStrictEqual(four.accessTypes, ["write", "read", "readWrite"]);
        const counts = await info({ name: "pairs[2].counts[0]", frameId, bytes: 8 });
        assert.match(counts.dataId, /^\(\(uchar \*\)0x[0-9a-f]+\)\[0\.\.7\]$/);
        assert.match((await info({ name: "out[0]", frameId, bytes: 800 })).dataId, /ulong.*\[0\.\.99\]$/);
        assert.strictEqual((await info({ name: "out[0]", frameId, bytes: 801 })).dataId, null);
        const { breakpoints } = (await client.customRequest("setDataBreakpoints",
            { breakpoints: [{ dataId: four.dataId }, { dataId: counts.dataId, accessType: "write" }] })).body;
        const stopped = client.waitForEvent("stopped");
        await go(client, client.continueRequest({ threadId }));
        assert.deepStrictEqual((await stopped).body.hitBreakpointIds, [breakpoints[1].id]);
        assert.match((await stopped).body.description, /^element 0 of .* is written by item \(2,0,0\), line 20: 3, was undef$/);
    },

    async values_are_changed(client) {
        let { frameId, threadId } = await stopInValues(client);
        const { variables } = await scopeOf(client, frameId, "Arguments");
        const children = (variablesReference) =>
            client.variablesRequest({ variablesReference }).then((answer) => answer.body.variables);
        const [pair] = await children(variables.find((at) => at.name === "pairs").variablesReference);
        const counts = (await children(pair.variablesReference)).find((at) => at.name === "counts");
        assert.deepStrictEqual((await children(counts.variablesReference)).map((at) => at.value), ["undef", "2"]);
        const set = (variablesReference, name, value) =>
            client.setVariableRequest({ variablesReference, name, value }).then((answer) => answer.body);
        assert.strictEqual((await set(counts.variablesReference, "[0]", "6 * 7")).value, "42");
        const first = (await children(pair.variablesReference)).find((at) => at.name === "first");
        assert.strictEqual((await set(first.variablesReference, "y", "0.5f")).value, "0.5");
        const table = (await scopeOf(client, frameId, "Locals")).variables.find((at) => at.name === "table");
        const row = (await children(table.variablesReference))[1];
        assert.strictEqual(row.evaluateName, "table[1]");
        assert.strictEqual(counts.evaluateName, "(*pairs).counts");
        assert.strictEqual((await set(row.variablesReference, "[1]", "9")).value, "9");
        const setExpression = (expression, value) => client.customRequest("setExpression", { expression, value, frameId });
        assert.strictEqual((await setExpression("out[7].w", "-1")).body.value, "-1");
        assert.strictEqual((await setExpression("shared[7]", "i + 8")).body.value, "8");
        await assert.rejects(setExpression("vector.x", "1"), /cannot be changed/);
        assert.strictEqual(await evaluate(client, frameId, "pairs[0]"), "{first = {undef, 0.5}, counts = {42, 2}}");
        const vector = (await scopeOf(client, frameId, "Locals")).variables.find((at) => at.name === "vector");
        assert.deepStrictEqual((await children(vector.variablesReference)).map((at) => at.value), ["0", "undef", "2", "undef"]);
        assert.deepStrictEqual([vector.presentationHint.attributes, table.presentationHint], [["readOnly"], undefined]);
        assert.strictEqual(await evaluate(client, frameId, "vector"), "{0, undef, 2, undef}");
        const { writer, text } = (await client.customRequest("clerk/who", { expression: "out[7].w" })).body;
        assert.strictEqual(writer, undefined);
        assert.match(text, /^set by you at position 1:[0-9]+: -1$/);
        await go(client, client.nextRequest({ threadId }));
        ({ frameId } = await go(client, client.stepBackRequest({ threadId, granularity: "line" })));
        await assert.rejects(setExpression("out[7].w", "2"), /furthest moment/);
    },

    async variables_in_memory_are_changed(client) {
        let { frameId, threadId } = await stopInValues(client, { variables: "memory" });
        const { scope, variables } = await scopeOf(client, frameId, "Locals");
        const vector = variables.find((at) => at.name === "vector");
        assert.strictEqual(vector.presentationHint, undefined);
        const { value } = (await client.setVariableRequest({ variablesReference: scope.variablesReference, name: "i", value: "5" })).body;
        assert.strictEqual(value, "5");
        await client.setVariableRequest({ variablesReference: vector.variablesReference, name: "x", value: "0.25f" });
        ({ frameId } = await go(client, client.nextRequest({ threadId })));
        assert.strictEqual(await evaluate(client, frameId, "i"), "5");
        assert.strictEqual(await evaluate(client, frameId, "vector.x"), "0.25");
    },

    async the_console_knows_words(client) {
        let { frameId } = await stopInValues(client);
        const type = (expression, context = "repl") => client.evaluateRequest({ expression, frameId, context }).then((answer) => answer.body.result);
        assert.strictEqual(await type("i"), "0");
        assert.strictEqual(await type("out[3] = 4"), "{4, 4, 4, 4}");
        assert.match(await type("lanes"), /^ {3}0 {2}A{8} *\n {3}A {2}values at values\.cl:18: 8 items \(0-7\)$/);
        assert.strictEqual(await type("differ i & 1"), "0: 4 items (0, 2, 4, 6)\n1: 4 items (1, 3, 5, 7)");
        assert.match(await type("x/2xw out"), /0x3f800000 0x3f800000/);
        assert.match(await type("info args"), /^pairs = buffer#/);
        assert.match(await type("p/x 255"), /= 0xff$/);
        await assert.rejects(type("step"), /step/);
        await assert.rejects(type("who 1"), /no bytes/);
        const nonsense = await client.send("evaluate", { expression: "kernel void", frameId, context: "hover" }).catch(() => undefined);
        assert.strictEqual(nonsense, undefined);
        assert.strictEqual(messages[messages.length - 1].body.error.showUser, false);
        const complete = async (text) => (await client.completionsRequest({ frameId, text, column: text.length + 1 })).body.targets;
        assert.deepStrictEqual(await complete("1 + pairs[0].co"), [{ label: "counts", type: "variable", start: 14, length: 2 }]);
        assert.deepStrictEqual((await complete("pairs->")).map((at) => at.label), ["first", "counts"]);
        assert.deepStrictEqual((await complete("1 + ve")).map((at) => at.label), ["vector"]);
        assert.deepStrictEqual((await complete("o")).map((at) => at.label), ["out", "other"]);
    },

    async threads_are_what_is_wanted(client) {
        for (const [threads, count, name] of [["vectors", 3, /^vector 1: .* 64 items waiting$/], ["items", 64, /^item \(63,0,0\) .*:18 active$/]]) {
            await stopInValues(client, { global: 128, local: 128, threads, arguments: ["buf:int[512]", "buf:float[512]", "local:int[128]"] });
            const { threads: shown } = (await client.threadsRequest()).body;
            assert.strictEqual(shown.length, count);
            assert.match(shown[count - 1].name, name);
            await Promise.all([client.customRequest("terminate"), client.waitForEvent("terminated")]);
        }
        await assert.rejects(client.launchRequest({ ...launch, threads: "some" }), /cohorts/);
    },

    async steps_the_group(client) {
        const { threadId } = await stopInValues(client, { global: 16, local: 8 });
        await client.setBreakpointsRequest({ source: { path: path.join(__dirname, "values.cl") }, breakpoints: [] });
        const stopped = client.waitForEvent("stopped");
        const { frames } = await go(client, client.customRequest("clerk/step", { threadId }));
        assert.strictEqual((await stopped).body.reason, "step");
        assert.strictEqual(frames[0].line, 19);
    },

    async serves_one_client_of_a_port() {
        const server = spawn(clerk, ["dap", "--port", "0"]);
        const port = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(Number(/^127\.0\.0\.1:(\d+)\n$/.exec(text)[1]))));
        const ended = new Promise((resolve) => server.once("exit", resolve));
        const client = await start(port);
        await stopAt(client, LINE_OF_OUT);
        assert.strictEqual((await top(client)).frames[0].line, LINE_OF_OUT);
        await client.stop();
        assert.strictEqual(await ended, 0);
    },

    async hits_are_counted(client) {
        const launched = client.launch({ ...launch, global: 1 });
        await client.waitForEvent("initialized");
        await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "square", hitCondition: "3" }] });
        await Promise.all([launched, client.configurationDoneRequest(), client.waitForEvent("stopped")]);
        await client.setFunctionBreakpointsRequest({ breakpoints: [] });
        const { frames } = await top(client);
        assert.strictEqual(await evaluate(client, frames[1].id, "j"), "2");
        await Promise.all([client.continueRequest({ threadId: 1 }), client.waitForEvent("terminated")]);
        for (const [hitCondition, rounds] of [["% 2", ["1"]], ["== 1", ["0"]], [">= 2", ["1", "2"]], ["< 3", ["0", "1"]], ["often", []]]) {
            const ended = client.waitForEvent("terminated");
            const again = client.launch({ ...launch, global: 1 });
            await client.waitForEvent("initialized");
            const { breakpoints } = (await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "square", hitCondition }] })).body;
            assert.strictEqual(breakpoints[0].verified, rounds.length > 0);
            let next = Promise.all([again, client.configurationDoneRequest()]);
            for (const round of rounds) {
                const at = await go(client, next);
                assert.strictEqual(await evaluate(client, at.frames[1].id, "j"), round);
                next = client.continueRequest({ threadId: 1 });
            }
            await Promise.all([next, ended]);
        }
    },

    async large_launches_have_short_answers(client) {
        const launched = client.launch({ ...launch, global: 65536,
                                         arguments: ["buf:float[65536]=iota", "buf:float[65536]"] });
        await client.waitForEvent("initialized");
        await client.setBreakpointsRequest({ source, breakpoints: [{ line: LINE_OF_OUT, condition: "i == 40000" }] });
        await Promise.all([launched, client.configurationDoneRequest(), client.waitForEvent("stopped")]);
        const { frameId } = await top(client);
        assert.strictEqual(await evaluate(client, frameId, "i"), "40000");
        const before = messages.length;
        await scopeOf(client, frameId, "Locals");
        await client.customRequest("clerk/lanes");
        for (const message of messages.slice(before))
            assert(JSON.stringify(message).length < 65536, `${message.command} is long`);
    },

    async launch_fails_with_the_reason(client) {
        await client.initializeRequest();
        await assert.rejects(client.launchRequest({ ...launch, file: "/no/such.cl" }), /such\.cl/);
        await assert.rejects(client.launchRequest({ ...launch, kernel: "other" }), /other/);
        await assert.rejects(client.launchRequest({ ...launch, variables: "rows" }), /variables.*values.*memory/);
        await assert.rejects(client.launchRequest({ trace: "/no/app.db" }), /app\.db/);
        await assert.rejects(client.launchRequest({ program: "/no/app" }), /cannot start .*app/);
    },
};

async function main() {
    let failed = 0;
    for (const [name, run] of Object.entries(cases)) {
        if (only && only !== name)
            continue;
        const client = await start();
        try {
            await run(client);
            console.log(`passed: ${name}`);
        } catch (error) {
            console.log(`FAILED: ${name}\n${error.stack}`);
            ++failed;
        }
        await client.stop().catch(() => {});
    }
    const complaints = judge(messages, directory, process.env.NODE_PATH);
    if (complaints)
        console.log(`FAILED: messages are not as the protocol has them\n${complaints}`);
    console.log(`${messages.length} messages, ${failed} cases failed`);
    process.exit(failed || complaints ? 1 : 0);
}

// A case that fails early leaves promises behind.
process.on("unhandledRejection", () => {});
main();
