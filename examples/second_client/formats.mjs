// What an owner reads and sends, byte by byte, as docs/PROTOCOL.md describes it: keys, the study,
// messages, codes of scores, words and parts. Nothing here opens a connection or a file.
//
// Known are the sorted list of `full`, `float32` and `decimals`, cells of decimals, and the sum of
// squares. Everything else is refused, never guessed.

import crypto from "node:crypto";
import { decode, encode } from "@msgpack/msgpack";
import { parse } from "smol-toml";

export class Refused extends Error {
  /** `exit` is the exit code: 2 usage, 3 data, 4 a rule or policy, 5 a peer or a key. */
  constructor(exit, text, code = "") {
    super(text);
    Object.assign(this, { exit, code });
  }
}

export const sha256 = (...parts) =>
  parts.reduce((hash, part) => hash.update(part), crypto.createHash("sha256")).digest();
const hex = (text) => Buffer.from(text, "hex");

// -- keys ---------------------------------------------------------------------------------------

const LINE = (prefix) => new RegExp(`^${prefix}-2:([0-9a-f]{128})(?::(\\d{4}-\\d\\d-\\d\\d))?$`);
const PKCS8 = { x25519: "302e020100300506032b656e04220420", ed25519: "302e020100300506032b657004220420" };

function keyIn(line, prefix) {
  const [, digits, day] = LINE(prefix).exec(line.trim()) ?? [];
  const isDay = !day || new Date(`${day}T00:00Z`).toJSON()?.startsWith(day);
  if (!digits || !isDay) throw new Refused(5, `This is no line of a ${prefix} key`);
  return { bytes: hex(digits), goodUntil: day };
}

export const publicKey = (line) => keyIn(line, "ppaurora").bytes;

export function identity(line) {
  const { bytes, goodUntil } = keyIn(line, "ppaurora-private");
  const [exchange, signing] = Object.entries(PKCS8).map(([kind, head], place) => {
    const key = Buffer.concat([hex(head), bytes.subarray(32 * place, 32 * place + 32)]);
    return crypto.createPrivateKey({ key, format: "der", type: "pkcs8" });
  });
  const halves = [exchange, signing].map((key) => crypto.createPublicKey(key).export({ format: "jwk" }).x);
  return {
    goodUntil,
    public: Buffer.concat(halves.map((half) => Buffer.from(half, "base64url"))),
    exchangePrivate: bytes.subarray(0, 32),
    sign: (data) => crypto.sign(null, Buffer.concat([Buffer.from("ppAURORA signature 2\0"), data]), signing),
  };
}

export function fingerprint(bytes) {
  const bits = [...sha256(bytes)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  const letters = bits.match(/.{5}/g).map((five) => "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"[parseInt(five, 2)]);
  return letters.slice(0, 20).join("").match(/.{4}/g).join("-");
}

// -- the study ----------------------------------------------------------------------------------

const KNOWN = {
  "": "format id title follows about metrics scores release protocol folds rule servers participants",
  about: "author model population",
  metrics: "analysis names decimals",
  scores: "resolution range direction positive negative against",
  release: "least_cell",
  protocol: "table merge delta ties assurance dealings",
  folds: "count by form key cuts least",
  rule: "least_owners least_samples start keep_days least_list most_share most_samples",
  servers: "P0 P1 helper",
  server: "operator public_key address link_ports",
  participant: "name public_key uploads receives",
};

function table(content, of, kind = of) {
  const found = of === "" ? content : content[of];
  const known = KNOWN[kind].split(" ");
  for (const name of Object.keys(found ?? {}))
    if (!known.includes(name)) throw new Refused(2, `study.toml: ${of}.${name} is not a known option`);
  return found ?? {};
}

/** A number as Python's `repr` writes it. */
export function repr(x) {
  const [digits, power] = x.toExponential().split("e");
  if (x !== 0 && (power < -4 || power > 15)) return `${digits}e${power[0]}${power.slice(1).padStart(2, "0")}`;
  const places = Math.max(1, digits.replace(/[-.]/g, "").length - 1 - power);
  return Object.is(x, -0) ? "-0.0" : x.toFixed(places);
}

export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value === "number") return repr(value);
  if (typeof value === "string")
    return JSON.stringify(value).replace(
      /[^ -~]/g,
      (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
    );
  if (typeof value !== "object") return String(value); // whole numbers are BigInt
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${canonical(name)}:${canonical(value[name])}`).join(",")}}`;
}

/** The content of a file that states every option, as `ppaurora study new` writes it. */
export function contentOf(toml) {
  let content;
  try {
    content = parse(toml, { integersAsBigInt: true });
  } catch (error) {
    throw new Refused(2, `study.toml is not valid TOML: ${error.message}`);
  }
  for (const of of ["", "about", "metrics", "scores", "release", "protocol", "folds", "rule", "servers"])
    table(content, of);
  const missing = ["metrics", "scores", "rule", "servers", "participants"].find((name) => !content[name]);
  if (missing) throw new Refused(2, `study.toml: ${missing} is missing`);
  for (const role of ["P0", "P1", "helper"]) {
    const server = table(content.servers, role, "server");
    if (!server.address) throw new Refused(2, `study.toml: servers.${role}.address is missing`);
    server.link_ports ??= [];
  }
  for (const one of content.participants) table({ one }, "one", "participant");
  for (const name of ["keep_days", "most_share"]) content.rule[name] = Number(content.rule[name]);
  const whole = (end) => (Number.isInteger(end) ? BigInt(end) : end);
  if (Array.isArray(content.scores.range)) content.scores.range = content.scores.range.map(whole);
  return content;
}

export const hashOf = (content) => sha256("ppaurora study 1\n", canonical(content));

export function study(toml) {
  const content = contentOf(toml);
  const wrong = (what) => new Refused(2, `study.toml: ${what}`);
  if (content.format !== 1n) throw wrong("format must be 1: this program reads no other version");
  if (typeof content.metrics.decimals !== "bigint") throw wrong("metrics.decimals must be a whole number");
  const lines = [...Object.values(content.servers), ...content.participants].map((one) => one.public_key);
  const halves = lines.flatMap((line) => publicKey(line).toString("hex").match(/.{64}/g));
  if (new Set(halves).size !== halves.length) throw wrong("it holds one public key twice");
  return { ...content, ...plan(content), text: canonical(content), hash: hashOf(content) };
}

// -- messages -----------------------------------------------------------------------------------

export function request(study, name, ...fields) {
  const head = encode([6, study.id, study.hash]);
  return Buffer.concat([Buffer.from([head.length]), head, encode([name, ...fields], { useBigInt64: true })]);
}

const REPLIES = {
  Done: [],
  Received: ["number", "boolean"],
  Document: ["string"],
  Withdrawn: ["array"],
  ResultPart: ["bytes", "array", "string", "bytes"],
  Refused: ["string", "string", "string"],
};

function kindOf(value) {
  if (Array.isArray(value)) return "array";
  if (value instanceof Uint8Array) return "bytes";
  if (typeof value === "bigint") return "number";
  return typeof value === "number" && !(Number.isSafeInteger(value) && value >= 0) ? "no number" : typeof value;
}

export function reply(bytes) {
  let message;
  try {
    message = decode(bytes, { useBigInt64: true });
  } catch {
    throw new Refused(5, "The server answers strangely: no msgpack");
  }
  const [name, ...fields] = Array.isArray(message) ? message : [];
  const kinds = Object.hasOwn(REPLIES, name) ? REPLIES[name] : [null];
  if (kinds.length !== fields.length || kinds.some((kind, place) => kind !== kindOf(fields[place])))
    throw new Refused(5, "The server answers strangely: no reply of this version");
  return { name, fields };
}

// -- codes of scores ----------------------------------------------------------------------------

const bits = (x) => new BigUint64Array(new Float64Array([Math.abs(x)]).buffer)[0];
const bits32 = (x) => BigInt(new Uint32Array(new Float32Array([Math.abs(x)]).buffer)[0]);
const signed = (x, size) => (x < 0 ? -size : size);
const ordinal = (x) => signed(x, bits(x));
const short = (x) => (x === 0 ? 0n : signed(x, bits(x) - (767n << 52n)));
const isShort = (x) => x === 0 || (Math.abs(x) >= 2 ** -255 && Math.abs(x) < 2 ** 256);
/** The nearest whole number, of two the even one. */
const rint = (x) => (Math.abs(x % 1) === 0.5 ? 2 * Math.round(x / 2) : Math.round(x));

/** Whether a score reads as its float32 does when that is written with as many digits. */
function readsAsFloat32(x) {
  const near = Math.fround(x);
  if (near === x) return true;
  const k = repr(x).split("e")[0].replace(/[-.]/g, "").replace(/^0+/, "").length;
  const [all, power] = near.toExponential(99).split("e");
  const digits = all.replace(/[-.]/g, "");
  const kept = BigInt(digits.slice(0, k));
  const rest = digits.slice(k);
  const half = `5${"0".repeat(rest.length - 1)}`;
  const up = rest > half || (rest === half && kept % 2n === 1n) ? 1n : 0n;
  return Number(`${signed(x, kept + up)}e${Number(power) - k + 1}`) === x;
}

function scale({ resolution, range, direction }) {
  const [kind, decimals] = resolution.split(":");
  const any = range === "any";
  const [low, high] = any ? [] : range.map(Number);
  const step = 10 ** Number(decimals ?? 0);
  const inside = (x) => any || (x >= low && x <= high);
  const ends = (place) => [place(low), place(high)];
  const found = {
    full: () => {
      const wide = any || ordinal(high) - ordinal(low) >= 1n << 62n;
      const most = (1n << 61n) - 1n;
      if (!wide) return { place: ordinal, ends: ends(ordinal), within: inside };
      return { place: short, ends: any ? [-most, most] : ends(short), within: (x) => inside(x) && isShort(x) };
    },
    float32: () => {
      const place = (x) => signed(x, bits32(x));
      const between = (near) => near >= Math.fround(low) && near <= Math.fround(high);
      const within = (x) => (any ? Number.isFinite(Math.fround(x)) : between(Math.fround(x)));
      const largest = 0x7f7fffffn;
      const found = { place, ends: any ? [-largest, largest] : ends(place), within };
      return { ...found, fits: readsAsFloat32, score: Math.fround };
    },
    decimals: () => {
      const place = (x) => BigInt(rint(x * step));
      return { place, ends: ends(place), within: inside, fits: (x) => rint(x * step) / step === x };
    },
  }[kind]?.();
  if (!found) throw new Refused(2, `This client does not know the resolution ${resolution}`);
  const [first, last] = found.ends;
  const higher = direction === "higher";
  const code = (x) => (higher ? found.place(x) - first : last - found.place(x));
  return { fits: () => true, score: (x) => x, ...found, kind, code, higher, top: last - first };
}

// -- from a list to parts -----------------------------------------------------------------------

const nameOf = (metric) => metric.split(":")[0];
/** Metrics of the sorted list, which some of them need; and of the sum of squares. */
const SORTED =
  "auroc_no_ties average_precision_ci aupr aucnpr sensitivity recall specificity precision_at_recall " +
  "precision_at_top recall_at_top tpauc_trimmed youden_max";
const EITHER = "auroc auroc_ci auroc_se auroc_above pauc tpauc average_precision rocglm".split(" ");
const LIST = [...EITHER, ...SORTED.split(" ")];
const SQUARES = ["brier", "scaled_brier"];

/** What an upload of this study is made of, and how its scores become codes. */
export function plan(content) {
  const { metrics, scores, protocol = {}, folds } = content;
  const names = metrics.names.map(nameOf);
  const strange = names.filter((name) => ![...LIST, ...SQUARES].includes(name));
  if (folds || scores.against) strange.push("studies of folds or of several models");
  strange.push(...Object.keys(content).filter((name) => !KNOWN[""].split(" ").includes(name)));
  if (strange.length) throw new Refused(2, `This client does not know ${strange.join(", ")}`);
  const of = scale(scores);
  const few = of.top < 2048n && names.every((name) => [...EITHER, ...SQUARES].includes(name));
  const auto = (protocol.table ?? "auto") === "auto";
  const counts = of.kind === "decimals" && (auto ? few : protocol.table === "counted");
  const parts = [];
  if (names.some((name) => LIST.includes(name))) parts.push(counts ? "cells" : "list");
  if (names.some((name) => SQUARES.includes(name))) parts.push("squares");
  const narrow = 2n * of.top + 1n < 1n << 31n && protocol.ties === "compare" && protocol.merge !== "delta";
  return { scale: of, parts, narrow, runs: protocol.assurance === "covert" ? 3 : 1 };
}

const bytesOf = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength);

function sortedList({ scale }, rows) {
  const keys = BigUint64Array.from(rows, ({ x, y }) => 2n * scale.code(x) + BigInt(y));
  return keys.sort().reverse();
}

function cells({ scale }, rows) {
  const count = Number(scale.top) + 1;
  const found = new BigUint64Array(2 * count);
  for (const { x, y } of rows) found[Number(scale.top - scale.code(x)) + (y ? 0 : count)] += 1n;
  return found;
}

/** Positives, negatives, and Σ (y - f)² in units of 2^-134, rounded once from those of 2^-2148. */
function squares({ scale }, rows) {
  let [P, N, total] = [0n, 0n, 0n];
  for (const { x, y } of rows) {
    const [power, mantissa] = [bits(x) >> 52n, bits(x) & ((1n << 52n) - 1n)];
    const f = power ? (mantissa + (1n << 52n)) << (power - 1n) : mantissa; // in units of 2^-1074
    const error = (Boolean(y) === scale.higher ? 1n << 1074n : 0n) - f;
    total += error * error;
    P += BigInt(y);
    N += BigInt(1 - y);
  }
  const half = 1n << 2013n;
  const rest = total & (2n * half - 1n);
  const down = total >> 2014n;
  const v = down + (rest > half || (rest === half && down & 1n) ? 1n : 0n);
  const low = (1n << 54n) - 1n;
  return BigUint64Array.of(P, N, v >> 108n, (v >> 54n) & low, v & low);
}

const MAKE = { list: sortedList, cells, squares };

/** The rows of a list whose scores and labels the study takes; `where` says which row is which. */
export function rowsOf(study, scores, labels, where = (row) => `row ${row + 1}`) {
  const { scale } = study;
  return scores.map((x, row) => {
    if (Number.isNaN(x)) throw new Refused(3, `${where(row)}: the score is no number`);
    if (!scale.within(x)) throw new Refused(3, `${where(row)}: the score is not within the study's range`);
    if (!scale.fits(x)) throw new Refused(3, `${where(row)}: the score has more digits than ${scale.kind}`);
    if (labels[row] !== 0 && labels[row] !== 1)
      throw new Refused(3, `${where(row)}: the label is neither of the study's`);
    return { x: scale.score(x) + 0, y: labels[row] };
  });
}

/** The words of an upload, part by part, each with the bytes that its words take on the way. */
export function wordsOf(study, rows) {
  return study.parts.map((part) => {
    const found = MAKE[part](study, rows);
    const halves = part === "list" ? study.narrow : part === "cells" && found.length > 4096;
    return { words: found, halves };
  });
}

function stream(seed, count) {
  const hmac = crypto.createHmac("sha256", seed).update("ppaurora stream\0outsourced list\x01");
  const key = hmac.digest().subarray(0, 16);
  const made = crypto.createCipheriv("aes-128-ctr", key, Buffer.alloc(16)).update(Buffer.alloc(8 * count));
  return new BigUint64Array(made.buffer.slice(made.byteOffset, made.byteOffset + made.length));
}

/** P1's share: every word minus the stream's, or the lower half of that. */
function masked(parts, seed) {
  const count = parts.reduce((sum, { words }) => sum + words.length, 0);
  const mask = stream(seed, count);
  let place = 0;
  const shares = parts.map(({ words, halves }) => {
    const share = words.map((word) => word - mask[place++]); // a BigUint64Array wraps
    return bytesOf(halves ? Uint32Array.from(share, (word) => Number(word & 0xffffffffn)) : share);
  });
  return Buffer.concat(shares);
}

/** The upload of these rows: its name, and what each server gets. */
export function uploadOf(study, owner, secret, rows) {
  const parts = wordsOf(study, rows);
  const content = sha256(...parts.map(({ words }) => bytesOf(words)));
  const info = Buffer.concat([Buffer.from("ppAURORA upload 2\0"), study.hash, owner, content]);
  const out = Buffer.from(crypto.hkdfSync("sha256", secret, "", info, 16 + 32 * study.runs));
  const seeds = [out.subarray(0, 32), out.subarray(48, 80), out.subarray(80, 112)].slice(0, study.runs);
  const shares = seeds.map((seed) => masked(parts, seed));
  const at =
    study.runs === 1
      ? { P0: [seeds[0]], P1: [shares[0]] }
      : { P0: [seeds[0], shares[2]], P1: [shares[0], seeds[1]], helper: [shares[1], seeds[2]] };
  const found = Object.entries(at).map(([server, held]) => [server, Buffer.concat(held)]);
  return { name: out.subarray(32, 48), samples: rows.length, seeds, parts: Object.fromEntries(found) };
}

/** The announcement of a server's part. */
export function begin(upload, server) {
  const part = upload.parts[server];
  return ["BeginUpload", upload.name, upload.samples, part.length, sha256(part), []];
}
