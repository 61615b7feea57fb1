// What panels show, made of answers of the debugger. Clicks are told by messages: { item }, a linear number in the
// work-group, or { slice }.
const { items, placeOf } = require("./lines");

const COLOURS = 8;

function escape(text) {
    return String(text).replace(/[&<>"']/g, (at) => `&#${at.charCodeAt(0)};`);
}

const style = `
    body { font-family: var(--vscode-font-family); color: var(--vscode-foreground); }
    .lanes { font-family: monospace; white-space: pre; line-height: 1.4; }
    [data-item], [data-slice] { cursor: pointer; }
    [data-item]:hover, [data-slice]:hover { outline: 1px solid var(--vscode-focusBorder); }
    .focus { outline: 2px solid var(--vscode-foreground); }
    .none { opacity: 0.4; }
    .p0 { background: #1f77b480; } .p1 { background: #ff7f0e80; } .p2 { background: #2ca02c80; }
    .p3 { background: #d6272880; } .p4 { background: #9467bd80; } .p5 { background: #8c564b80; }
    .p6 { background: #e377c280; } .p7 { background: #bcbd2280; }
    img { image-rendering: pixelated; min-width: 50%; max-width: 100%; border: 1px solid var(--vscode-panel-border);
          background: repeating-conic-gradient(#8884 0% 25%, transparent 0% 50%) 50% / 16px 16px; }`;

const script = `
    const editor = acquireVsCodeApi();
    document.body.addEventListener("click", (event) => {
        const { item, slice } = (event.target.closest("[data-item], [data-slice]") || { dataset: {} }).dataset;
        if (item !== undefined)
            editor.postMessage({ item: Number(item) });
        if (slice !== undefined)
            editor.postMessage({ slice: Number(slice) });
    });`;

// A whole page. Nothing is loaded, and only the script above runs.
function page(body, nonce) {
    const policy = `default-src 'none'; img-src data:; style-src 'nonce-${nonce}'; script-src 'nonce-${nonce}'`;
    return `<!DOCTYPE html>
<html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${policy}">
<style nonce="${nonce}">${style}</style></head>
<body>${body}<script nonce="${nonce}">${script}</script></body></html>
`;
}

// Places that work-items stand at have colours, in their order; those that have ended, or not begun, have none.
function classes(places) {
    const found = new Map();
    let count = 0;
    for (const { sign, place } of places)
        found.set(sign, place && sign !== "." ? `p${count++ % COLOURS}` : "none");
    return found;
}

function whereOf({ place, state }) {
    return [placeOf(place), state === "active" ? "" : state].filter(Boolean).join(", ");
}

// The answer of clerk/lanes: a row of signs a vector, and below it what they stand for. `focus` is that of a stop.
function ofLanes(answer, focus = {}) {
    const places = answer.places || [];
    const colours = classes(places);
    const titles = new Map(places.map((at) => [at.sign, whereOf(at)]));
    const cell = (sign, vector, lane) => {
        const item = vector * 64 + lane;
        const is = vector === focus.vector && lane === focus.lane ? " focus" : "";
        return sign === " " ? " "
            : `<span class="${colours.get(sign) || "none"}${is}" data-item="${item}" title="item ${item}: ${
                escape(titles.get(sign) || "")}">${escape(sign)}</span>`;
    };
    const rows = (answer.vectors || []).map(({ vector, signs }) =>
        `${String(vector).padStart(4)}  ${[...signs].map((sign, lane) => cell(sign, vector, lane)).join("")}`);
    const legend = places.map((at) =>
        `   <span class="${colours.get(at.sign)}" data-item="${parseInt(at.items, 10)}">${escape(at.sign)}</span>  ${
            escape(whereOf(at))}: ${items(at.count)} (${escape(at.items)})`);
    return `<div class="lanes">${[...rows, "", ...legend].join("\n")}</div>`;
}

function sliceButtons({ slice, slices }) {
    const button = (to, sign) => (to < 0 || to >= slices ? sign : `<a data-slice="${to}">${sign}</a>`);
    return slices > 1 ? `<p>${button(slice - 1, "&#9664;")} slice ${slice} of 0 to ${slices - 1} ${button(slice + 1, "&#9654;")}</p>` : "";
}

// The answer of clerk/image.
function ofImage(answer, expression) {
    const notes = [
        answer.step > 1 ? `one texel in ${answer.step} each way` : "",
        answer.black === undefined ? "" : `black is ${answer.black}, white ${answer.white}`,
        answer.undefined ? "what is undefined is transparent" : "",
    ].filter(Boolean);
    return `<p>${escape(expression)} = ${escape(answer.text)}</p>${sliceButtons(answer)}
<img src="data:image/png;base64,${escape(answer.png)}" alt="${escape(expression)}">
<p>${escape(notes.join("; "))}</p>`;
}

function ofFailure(message) {
    return `<p>${escape(message)}</p>`;
}

module.exports = { page, ofLanes, ofImage, ofFailure };
