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

async function show(request, args, toLines) {
    const session = vscode.debug.activeDebugSession;
    if (!session || session.type !== "clerk")
        return;
    try {
        const answer = await session.customRequest(request, args);
        channel.clear();
        for (const line of toLines(answer))
            channel.appendLine(line);
        channel.show(true);
    } catch (error) {
        vscode.window.showErrorMessage(error.message);
    }
}

async function showDifferences() {
    const expression = await vscode.window.showInputBox({ prompt: "Which expression may differ?" });
    if (expression)
        await show("clerk/differ", { expression }, lines.ofDifferences);
}

function activate(context) {
    channel = vscode.window.createOutputChannel("clerk");
    context.subscriptions.push(
        channel,
        vscode.debug.registerDebugAdapterDescriptorFactory("clerk", adapters),
        vscode.debug.registerDebugConfigurationProvider("clerk", configurations),
        vscode.commands.registerCommand("clerk.showLanes", () => show("clerk/lanes", {}, lines.ofLanes)),
        vscode.commands.registerCommand("clerk.showDifferences", showDifferences)
    );
}

module.exports = { activate };
