// clerk dap, driven by the client that VS Code's own adapters are tested with. Each case is a function; afterwards all
// that the server wrote is judged by the types of the protocol.
//
//     node dap_test.js CLERK DIRECTORY [CASE]      run where node_modules of package.json is found; DIRECTORY is for files
const assert = require("assert");
const path = require("path");
const { spawnSync } = require("child_process");
const { DebugClient } = require("@vscode/debugadapter-testsupport");
const { judge } = require("./messages");

const [clerk, directory, only] = process.argv.slice(2);
const file = path.join(__dirname, "scale.cl");
const source = { path: file };
const launch = { file, global: 64, arguments: ["buf:float[64]=iota", "buf:float[64]"] };
const LINE_OF_Y = 8, LINE_OF_LOOP = 20, LINE_OF_CALL = 21, LINE_OF_OUT = 24, LINE_OF_BOUNDS = 4;

const messages = [];

// A client that keeps what it is sent, and what events came.
async function start() {
    const client = new DebugClient(clerk, "dap", "clerk");
    const dispatch = client.dispatch.bind(client);
    client.defaultTimeout = 20000;
    client.dispatch = (body) => {
        messages.push(JSON.parse(body));
        dispatch(body);
    };
    await client.start();
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
        assert.match(info.description, /^item \(7,0,0\) and 63 more made a NaN, line 19: fdiv of 0 and 0$/);
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

    async hits_are_counted(client) {
        const launched = client.launch({ ...launch, global: 1 });
        await client.waitForEvent("initialized");
        await client.setFunctionBreakpointsRequest({ breakpoints: [{ name: "square", hitCondition: "3" }] });
        await Promise.all([launched, client.configurationDoneRequest(), client.waitForEvent("stopped")]);
        await client.setFunctionBreakpointsRequest({ breakpoints: [] });
        const { frames } = await top(client);
        assert.strictEqual(await evaluate(client, frames[1].id, "j"), "2");
        await Promise.all([client.continueRequest({ threadId: 1 }), client.waitForEvent("terminated")]);
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
