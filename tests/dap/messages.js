// Every message of a server, judged by the protocol's own types: a program of TypeScript is made in which each message
// is a constant of its type, and the compiler says what is missing, too much, or of another type.
const fs = require("fs");
const path = require("path");

function typeOf(message) {
    const name = message.event || message.command;
    if (message.type === "event")
        return `DebugProtocol.${name[0].toUpperCase()}${name.slice(1)}Event`;
    if (message.success === false)
        return "DebugProtocol.ErrorResponse";
    if (name.includes("/"))
        return "DebugProtocol.Response";
    return `DebugProtocol.${name[0].toUpperCase()}${name.slice(1)}Response`;
}

// The compiler's complaints, a line each; "" where there are none.
function judge(messages, directory, modules) {
    const ts = require("typescript");
    const file = path.join(directory, "messages.ts");
    const lines = [`import { DebugProtocol } from "@vscode/debugprotocol";`];
    messages.forEach((message, i) => lines.push(`export const m${i}: ${typeOf(message)} = ${JSON.stringify(message)};`));
    fs.writeFileSync(file, lines.join("\n") + "\n");
    const program = ts.createProgram([file], {
        strict: true, noEmit: true, skipLibCheck: true, types: [], target: ts.ScriptTarget.ES2020,
        module: ts.ModuleKind.CommonJS, moduleResolution: ts.ModuleResolutionKind.NodeJs,
        baseUrl: modules, paths: { "*": ["*"] },
    });
    return ts.getPreEmitDiagnostics(program).map((at) => {
        const text = ts.flattenDiagnosticMessageText(at.messageText, "\n");
        const line = at.file ? at.file.getLineAndCharacterOfPosition(at.start).line : 0;
        return `${text}\n  in ${lines[line]}`;
    }).join("\n");
}

module.exports = { judge };
