// Answers of the debugger as lines of text.

function items(count) {
    return count === 1 ? "1 item" : `${count} items`;
}

function placeOf(place) {
    return place ? `${place.function || "?"}:${place.line || "?"}` : "";
}

// A row of signs a vector, and below what the signs stand for.
function ofLanes(answer) {
    const rows = (answer.vectors || []).map((at) => `${String(at.vector).padStart(4)}  ${at.signs}`);
    const places = (answer.places || []).map((at) => {
        const where = [placeOf(at.place), at.state === "active" ? "" : at.state].filter(Boolean).join(", ");
        return `   ${at.sign}  ${where}: ${items(at.count)} (${at.items})`;
    });
    return [...rows, "", ...places];
}

function ofDifferences(answer) {
    const values = (answer.values || []).map((at) => `${at.value}: ${items(at.count)} (${at.items})`);
    return answer.more ? [...values, `... and ${answer.more} more`] : values;
}

module.exports = { ofLanes, ofDifferences };
