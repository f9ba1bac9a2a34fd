// The channels of a survey: the same whole numbers and the same law as on a release's card.
//
// A channel is what its card says of it (the JSON form). One 32-bit word decides what is sent for
// one code: word by word the same as in privet's Python. All numbers here are whole and below 2**53,
// where JavaScript is exact; nothing is divided but whole numbers without remainder.

/** Return how often `part` fits into `whole`. */
function times(whole, part) {
  return (whole - (whole % part)) / part;
}

const DRAWS = {
  // Before, at and behind the code's own stretch of words.
  "gamma-diagonal"({ off, diagonal }, code, word) {
    const begin = code * off;
    if (word < begin) return times(word, off);
    if (word < begin + diagonal) return code;
    return times(word - diagonal + off, off);
  },

  // Near outputs have `high` words each, far ones `low`; what is left over goes to one far output.
  band({ size, half, low, high, extra }, code, word) {
    const width = 2 * half + 1;
    const place = code === size - 1 ? Math.max(word - extra, 0) : word;
    const begin = code * low;
    const end = begin + width * high;
    if (place < begin) return times(place, low);
    if (place < end) return code + times(place - begin, high);
    return Math.min(code + width + times(place - end, low), size + width - 2);
  },

  // The first output whose cumulated column is above the word.
  matrix({ columns }, code, word) {
    let reached = 0;
    return columns[code].findIndex((share) => (reached += share) > word);
  },

  // A single bit: the truth, or its opposite.
  flip({ keep }, code, word) {
    return word < keep ? code : 1 - code;
  },
};
DRAWS["joint-gamma-diagonal"] = DRAWS["gamma-diagonal"];

/** Return the names of a channel's attributes, and how many codes each has. */
export function domains(channel) {
  if (channel.kind === "joint-gamma-diagonal") {
    return channel.attributes.map((name, place) => [name, channel.sizes[place]]);
  }
  if (channel.kind === "flip") return channel.attributes.map((name) => [name, 2]);
  return [[channel.attribute, channel.size ?? channel.columns.length]];
}

/** Return what one word sends for one joint code. */
export function draw(channel, code, word) {
  const work = DRAWS[channel.kind];
  const sizes = domains(channel).map(([, size]) => size);
  const most = sizes.reduce((product, size) => product * size, 1);
  if (!work || channel.bits !== 32 || (channel.kind === "flip" && sizes.length > 1)) {
    throw new Error("This page does not know the disguise that the survey asks for.");
  }
  if (!Number.isInteger(code) || code < 0 || code >= most) {
    throw new Error("An answer is outside its domain.");
  }
  return work(channel, code, word);
}

/** Return what is sent for a record, codes by attribute; `words` has one word per channel. */
export function disguise(channels, codes, words) {
  const sent = {};
  channels.forEach((channel, place) => {
    const sizes = domains(channel);
    const joint = sizes.reduce((code, [name, size]) => code * size + codes[name], 0);
    let left = draw(channel, joint, words[place]);
    if (sizes.length === 1) {
      sent[sizes[0][0]] = left;
      return;
    }
    for (const [name, size] of sizes.toReversed()) {
      sent[name] = left % size;
      left = times(left, size);
    }
  });
  return sent;
}

/** Return fresh random words, one per channel, from the browser's cryptographic source. */
export function freshWords(count) {
  return crypto.getRandomValues(new Uint32Array(count));
}

/** Return a whole number below `count`, all equally likely. */
export function anyBelow(count) {
  const fair = 2 ** 32 - (2 ** 32 % count);
  for (;;) {
    const [word] = freshWords(1);
    if (word < fair) return word % count;
  }
}
