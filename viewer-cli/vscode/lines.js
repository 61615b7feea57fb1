// Answers of the debugger as lines of text.

function items(count) {
    return count === 1 ? "1 item" : `${count} items`;
}

function placeOf(place) {
    return place ? `${place.function || "?"}:${place.line || "?"}` : "";
}

function ofDifferences(answer) {
    const values = (answer.values || []).map((at) => `${at.value}: ${items(at.count)} (${at.items})`);
    return answer.more ? [...values, `... and ${answer.more} more`] : values;
}

function ofWriter(expression, answer) {
    const { writer, text } = answer;
    if (!writer || !writer.position)
        return (writer && writer.text) || text || `nobody wrote ${expression} in this launch`;
    const more = writer.count > 1 ? ` and ${writer.count - 1} more` : "";
    const was = writer.before ? `, was ${writer.before}` : "";
    return `${expression}: ${writer.after}${was}, written by item ${writer.item}${more} at ${placeOf(writer.place)}`;
}

module.exports = { items, placeOf, ofDifferences, ofWriter };
