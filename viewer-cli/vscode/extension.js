// Starts `clerk dap` for launch configurations of the type "clerk", and shows what the Debug Adapter Protocol has no
// view for: where the items of a work-group stand, which values they have, and pictures of images.
const vscode = require("vscode");
const lines = require("./lines");
const panels = require("./panels");

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
const lanesPanel = panels.ofLanes();
const imagePanels = new Map(); // by expression

// All panels show what the process is at.
const stops = {
    createDebugAdapterTracker: (session) => ({
        onDidSendMessage(message) {
            if (message.type === "event" && message.event === "stopped")
                for (const panel of [lanesPanel, ...imagePanels.values()])
                    panel.refresh(session);
        },
    }),
};

function activeSession() {
    const session = vscode.debug.activeDebugSession;
    return session && session.type === "clerk" ? session : undefined;
}

async function ask(request, args) {
    const session = activeSession();
    try {
        return session ? await session.customRequest(request, args) : undefined;
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

async function showLanes() {
    const session = activeSession();
    if (session)
        await lanesPanel.show(session);
}

// Of a variable whose menu was opened, or of what is typed.
async function showImage(context) {
    const named = context && context.variable && context.variable.evaluateName;
    const expression = named || await vscode.window.showInputBox({ prompt: "Which image?" });
    const session = activeSession();
    if (!expression || !session)
        return;
    const panel = imagePanels.get(expression) || panels.ofImage(expression);
    imagePanels.set(expression, panel);
    await panel.show(session);
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
        vscode.debug.registerDebugAdapterTrackerFactory("clerk", stops),
        vscode.commands.registerCommand("clerk.showLanes", showLanes),
        vscode.commands.registerCommand("clerk.showImage", showImage),
        vscode.commands.registerCommand("clerk.showDifferences", showDifferences),
        vscode.commands.registerCommand("clerk.showWriter", showWriter),
        vscode.commands.registerCommand("clerk.goToOther", () => ask("clerk/other", {})),
        vscode.commands.registerCommand("clerk.stepGroup", stepGroup)
    );
}

module.exports = { activate };
