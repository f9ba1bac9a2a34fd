// Reads cases as JSON from stdin and writes what the page's channels send for them.
import { readFileSync } from "node:fs";

const { draw, disguise } = await import(process.argv[2]);
const { cases, record } = JSON.parse(readFileSync(0, "utf8"));
const drawn = cases.map(({ channel, codes, words }) =>
  codes.map((code, place) => draw(channel, code, words[place])),
);
const sent = record.rows.map(({ codes, words }) => disguise(record.channels, codes, words));
process.stdout.write(JSON.stringify({ drawn, sent }));
