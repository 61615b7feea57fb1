// Starts `clerk dap` for launch configurations of the type "clerk", and shows what the Debug Adapter Protocol has no
// view for: where the items of a work-group stand, and which values they have.
const vscode = require("vscode");
const lines = require("./lines");

function clerkPath() {
    return vscode.workspace.getConfiguration("clerk").get("path") || "clerk";
}

const adapters = {
    createDebugAdapterDescriptor() {
        return new vscode.DebugAdapterExecutable(clerkPath(), ["dap"]);
    },
};

// Without launch.json, the file that is being edited.
const configurations = {
    resolveDebugConfiguration(folder, configuration) {
        if (configuration.type)
            return configuration;
        const editor = vscode.window.activeTextEditor;
        if (!editor || editor.document.languageId !== "opencl")
            return undefined;
        return {
            type: "clerk",
            request: "launch",
            name: "Debug the kernel",
            file: "${file}",
            global: 64,
            arguments: [],
            stopOnEntry: true,
        };
    },
};

let channel;

async function ask(request, args) {
    const session = vscode.debug.activeDebugSession;
    try {
        return session && session.type === "clerk" ? await session.customRequest(request, args) : undefined;
    } catch (error) {
        vscode.window.showErrorMessage(error.message);
        return undefined;
    }
}

async function show(request, args, toLines) {
    const answer = await ask(request, args);
    if (!answer)
        return;
    channel.clear();
    for (const line of toLines(answer))
        channel.appendLine(line);
    channel.show(true);
}

async function showDifferences() {
    const expression = await vscode.window.showInputBox({ prompt: "Which expression may differ?" });
    if (expression)
        await show("clerk/differ", { expression }, lines.ofDifferences);
}

// Of the thread that is looked at; older editors do not say which that is: then it is the focus.
async function stepGroup() {
    const item = vscode.debug.activeStackItem;
    await ask("clerk/step", item && item.threadId !== undefined ? { threadId: item.threadId } : {});
}

// Of the selected text, if there is some; the answer offers to go there.
async function showWriter() {
    const editor = vscode.window.activeTextEditor;
    const value = editor ? editor.document.getText(editor.selection) : "";
    const expression = await vscode.window.showInputBox({ prompt: "Who wrote the value of which expression?", value });
    const answer = expression ? await ask("clerk/who", { expression }) : undefined;
    if (!answer)
        return;
    const { writer } = answer;
    const there = writer && writer.position ? ["Go there"] : [];
    if (await vscode.window.showInformationMessage(lines.ofWriter(expression, answer), ...there)) {
        const { position, vector, lane } = writer;
        await ask("clerk/goto", { position, vector, lane });
    }
}

function activate(context) {
    channel = vscode.window.createOutputChannel("clerk");
    context.subscriptions.push(
        channel,
        vscode.debug.registerDebugAdapterDescriptorFactory("clerk", adapters),
        vscode.debug.registerDebugConfigurationProvider("clerk", configurations),
        vscode.commands.registerCommand("clerk.showLanes", () => show("clerk/lanes", {}, lines.ofLanes)),
        vscode.commands.registerCommand("clerk.showDifferences", showDifferences),
        vscode.commands.registerCommand("clerk.showWriter", showWriter),
        vscode.commands.registerCommand("clerk.goToOther", () => ask("clerk/other", {})),
        vscode.commands.registerCommand("clerk.stepGroup", stepGroup)
    );
}

module.exports = { activate };
