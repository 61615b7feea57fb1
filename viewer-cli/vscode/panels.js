// Panels beside the editor, each of which asks the debugger again at each stop.
const vscode = require("vscode");
const { randomBytes } = require("crypto");
const html = require("./html");

// `ask(session)` makes the body of the page, `take(session, message)` does what a click means.
class Panel {
    constructor(title, ask, take) {
        this.title = title;
        this.ask = ask;
        this.take = take;
    }

    async show(session) {
        this.session = session;
        if (!this.view) {
            const column = { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true };
            this.view = vscode.window.createWebviewPanel("clerk", this.title, column, { enableScripts: true });
            this.view.onDidDispose(() => (this.view = undefined));
            this.view.webview.onDidReceiveMessage((message) => this.answer(message));
        }
        await this.refresh(session);
    }

    async answer(message) {
        try {
            await this.take(this.session, message);
        } catch (error) {
            vscode.window.showErrorMessage(error.message);
        }
        if (message.slice !== undefined)
            await this.refresh(this.session);
    }

    // Of the session that stopped last. What cannot be asked here, as a variable that is not there, is said in its place.
    async refresh(session) {
        if (!this.view)
            return;
        this.session = session;
        const body = await this.ask(session).catch((error) => html.ofFailure(error.message));
        if (this.view)
            this.view.webview.html = html.page(body, randomBytes(16).toString("hex"));
    }
}

function moveFocus(session, { item }) {
    return item === undefined ? undefined : session.customRequest("clerk/focus", { item });
}

function ofLanes() {
    const ask = async (session) => {
        const answer = await session.customRequest("clerk/lanes");
        const { stop } = await session.customRequest("clerk/position");
        return html.ofLanes(answer, stop && stop.focus);
    };
    return new Panel("clerk: work-items", ask, moveFocus);
}

function ofImage(expression) {
    let slice = 0;
    const ask = async (session) => html.ofImage(await session.customRequest("clerk/image", { expression, slice }), expression);
    return new Panel(`clerk: ${expression}`, ask, (session, message) => {
        slice = message.slice === undefined ? slice : message.slice;
    });
}

module.exports = { ofLanes, ofImage };
