#!/usr/bin/env node
// An owner's client of ppAURORA in JavaScript, written from docs/PROTOCOL.md and its test vectors.
//
//     npm install --ignore-scripts
//     node client.mjs scores.csv --site site.toml --yes
//
// It reads the site, key and study files of `ppaurora`, splits a CSV of scores and labels into shares,
// sends each server its own over ZeroMQ with CURVE, and prints a receipt as JSON once all have stored
// theirs. It asks for no passphrase and follows no change of a key.

import crypto from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { parse } from "smol-toml";
import { Dealer } from "zeromq";
import * as formats from "./formats.mjs";

const { Refused, sha256 } = formats;
const CHUNK_BYTES = 256 << 10;
const HANDSHAKE_MS = 5000;
const ANSWER_MS = 60_000;
const ATTEMPTS = 3;
const REFUSALS = ["auth", "protocol", "other"].map((kind) => `handshake:error:${kind}`);
/** The events with which a handshake ends, well or not. */
const ENDS = ["handshake", ...REFUSALS, "disconnect", "close"];
const SIGNS = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.-:+=^!/*?&<>()[]{}@%$#";

/** 32 bytes as Z85, ZeroMQ's text of a key: five signs for four bytes. */
function z85(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4) {
    const value = bytes.readUInt32BE(at);
    for (let power = 4; power >= 0; power--) text += SIGNS[Math.floor(value / 85 ** power) % 85];
  }
  return text;
}

const printable = (text) => text.replace(/\p{C}/gu, "?").slice(0, 500);

/** One server of a study; questions are asked one after the other. */
export class Server {
  #number = 0n;
  #dealer = null;

  constructor(study, role, me) {
    const { address, public_key } = study.servers[role];
    Object.assign(this, { study, role, me, address, key: formats.publicKey(public_key).subarray(0, 32) });
  }

  /** The fields of the reply, which must be of this name; every request may be repeated. */
  async ask(answer, ...request) {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#asked(answer, formats.request(this.study, ...request));
      } catch (error) {
        this.close();
        if (error instanceof Refused || attempt === ATTEMPTS) throw this.#fault(error);
        await pause(300);
      }
    }
  }

  close() {
    this.#dealer?.close();
    this.#dealer = null;
  }

  async #asked(answer, payload) {
    if (this.#dealer === null) await this.#open();
    const number = Buffer.alloc(8);
    number.writeBigUInt64BE(++this.#number);
    await this.#dealer.send([number, payload]);
    for (;;) {
      const [about, bytes] = await Promise.race([this.#dealer.receive(), this.lost]);
      if (!number.equals(about)) continue;
      const { name, fields } = formats.reply(bytes);
      if (name === "Refused") throw this.#refusal(...fields);
      if (name !== answer)
        throw new Refused(5, `${this.role} answers strangely: ${name} to a question for ${answer}`);
      return fields;
    }
  }

  async #open() {
    const dealer = new Dealer({
      curveServerKey: z85(this.key),
      curvePublicKey: z85(this.me.public.subarray(0, 32)),
      curveSecretKey: z85(this.me.exchangePrivate),
      maxMessageSize: 1_114_176,
      handshakeInterval: HANDSHAKE_MS,
      receiveTimeout: ANSWER_MS,
      sendTimeout: ANSWER_MS,
      reconnectInterval: -1,
      linger: 0,
    });
    let reached = false;
    dealer.events.on("connect", () => (reached = true));
    const ended = new Promise((resolve) => ENDS.forEach((type) => dealer.events.on(type, resolve)));
    this.lost = new Promise((_, reject) =>
      dealer.events.on("disconnect", () => reject(new Error("closed the connection"))),
    );
    this.lost.catch(() => {}); // it may be lost while nobody waits
    dealer.connect(`tcp://${this.address}`);
    const event = await Promise.race([ended, pause(HANDSHAKE_MS, { type: "silence" }, { ref: false })]);
    if (event.type === "handshake") {
      this.#dealer = dealer;
      return;
    }
    dealer.close();
    if (event.type === "silence") throw new Error("does not answer");
    if (!reached) throw new Error("cannot be reached");
    if (event.type === "handshake:error:auth" && event.error?.status === 500)
      throw new Error("has too many connections of your key");
    if (event.type !== "handshake:error:auth")
      throw new Error("breaks off every connection: it has another key than study.toml says, or no room");
    const own = formats.fingerprint(this.me.public);
    const why = "it does not serve this study yet, or its study.toml does not list your key";
    throw new Refused(5, `${this.#place} does not know your key ${own}: ${why}`);
  }

  get #place() {
    return `${this.role} at ${this.address}`;
  }

  #fault(error) {
    return error instanceof Refused ? error : new Refused(5, `${this.#place} ${error.message}`);
  }

  #refusal(code, what, advice) {
    const exit = ["stranger", "keys-differ", "malformed"].includes(code) ? 5 : 4;
    const said = code === "study-differs" ? this.#differs(what) : `: ${what}. ${advice}`;
    return new Refused(exit, printable(this.role + said), code);
  }

  #differs(canonical) {
    const [ours, theirs] = [this.study.text, canonical].map((text) => JSON.parse(text));
    const differ = (name) => JSON.stringify(ours[name]) !== JSON.stringify(theirs[name]);
    const names = Object.keys({ ...ours, ...theirs }).filter(differ);
    return ` has another version of study ${this.study.id} than yours: they differ in ${names.join(", ")}`;
  }
}

/** Send an upload and wait until every server has stored its part; returns what each has. */
export async function send(study, me, upload) {
  const servers = Object.keys(upload.parts).map((role) => new Server(study, role, me));
  try {
    const [text] = await servers[0].ask("Document", "AskStatus");
    const status = JSON.parse(text);
    if (status.study !== study.id || status.server !== "P0")
      throw new Refused(5, "P0 sends the status of another study or server");
    const there = [];
    for (const server of servers)
      there.push(await server.ask("Received", ...formats.begin(upload, server.role)));
    for (const [place, server] of servers.entries()) {
      const part = upload.parts[server.role];
      let [size, stored] = there[place];
      while (!stored && size < part.length) {
        const chunk = part.subarray(size, size + CHUNK_BYTES);
        [size, stored] = await server.ask("Received", "SendChunk", upload.name, size, chunk);
      }
    }
    // P0 stores its part last: once it has, every server holds its own, and the upload counts
    for (const server of [...servers].reverse()) {
      const [, stored] = await server.ask("Received", "CommitUpload", upload.name);
      if (!stored) throw new Refused(5, `${server.role} has not stored the upload`);
    }
    const receipt = ([server, part]) => ({ server, bytes: part.length, sha256: sha256(part).toString("hex") });
    return Object.entries(upload.parts).map(receipt);
  } finally {
    servers.forEach((server) => server.close());
  }
}

// -- files --------------------------------------------------------------------------------------

function read(file, what) {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(fs.readFileSync(file));
  } catch (error) {
    throw new Refused(2, `The ${what} ${file} cannot be read: ${error.code ?? "it is no UTF-8"}`);
  }
}

function only(table, known, of = "") {
  for (const name of Object.keys(table))
    if (!known.includes(name)) throw new Refused(2, `This client does not know ${of}${name} of the site file`);
}

/** The site whose file this is: its key, its study, its own entry there, and its folder for secrets. */
export function siteOf(file) {
  const content = parse(read(file, "site file"));
  const { policy = {}, list = {}, participant = {} } = content;
  only(content, ["key", "studies", "results", "policy", "list", "participant"]);
  only(policy, ["least_own_samples", "least_other_owners", "metrics", "most_decimals"], "[policy] ");
  only(list, ["score", "label", "positive", "negative"], "[list] ");
  const at = (name) => path.resolve(path.dirname(file), name);
  if (content.studies.length !== 1) throw new Refused(2, "The site file must name one study");
  if (process.platform !== "win32" && fs.statSync(at(content.key)).mode & 0o077)
    throw new Refused(5, `The key file ${at(content.key)} can be read by others, so it is not used`);
  const me = formats.identity(read(at(content.key), "key file"));
  if (me.goodUntil && me.goodUntil < new Date().toJSON().slice(0, 10))
    throw new Refused(5, `Your key was good until ${me.goodUntil}`);
  const study = formats.study(read(at(content.studies[0]), "study file"));
  const owner = study.participants.find((one) => formats.publicKey(one.public_key).equals(me.public));
  if (!owner)
    throw new Refused(5, `Your key ${formats.fingerprint(me.public)} is nobody's in study ${study.id}`);
  if (!owner.uploads)
    throw new Refused(5, `${owner.name} receives the result but uploads nothing in this study`);
  return { me, study, owner, policy, list, state: at(participant.state ?? "state-participant") };
}

/** Refuse a study or a list of so many samples that the site's policy does not allow. */
export function check({ study, policy }, samples) {
  const { least_own_samples = 1, least_other_owners = 1, most_decimals = 15, metrics = ["auroc"] } = policy;
  const others = Number(study.rule.least_owners) - 1;
  const { decimals, names } = study.metrics;
  const strange = names.map((text) => text.split(":")[0]).find((name) => !metrics.includes(name));
  const least = study.rule.least_list;
  const faults = [
    [others < least_other_owners, `asks for at least ${least_other_owners} other owners, the study for ${others}`],
    [strange, `does not allow the metric ${strange}`],
    [decimals > most_decimals, `allows at most ${most_decimals} decimals, the study asks for ${decimals}`],
    [samples < least_own_samples, `sends lists of at least ${least_own_samples} samples, this has ${samples}`],
    [samples < least, `would send ${samples} samples, and the study takes lists of at least ${least}`],
  ];
  for (const [wrong, why] of faults) if (wrong) throw new Refused(4, `This site ${why}. Nothing was sent`);
}

const NUMBER = /^[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?$/;

/** The rows of a CSV without quotes, with a header and a comma between fields. */
export function rowsIn(text, { study, list }) {
  const lines = text.replace(/^\ufeff/, "").split(/\r\n|\n|\r/);
  if (lines.at(-1) === "") lines.pop();
  if (text.includes('"'))
    throw new Refused(3, "This client reads no quoted fields; use `ppaurora outsource`");
  const [header, ...rows] = lines.map((line) => line.split(",").map((field) => field.trim()));
  const [score, label] = [list.score ?? "score", list.label ?? "label"].map((name) => {
    const places = header.flatMap((one, place) => (one.toLowerCase() === name.toLowerCase() ? [place] : []));
    if (places.length !== 1)
      throw new Refused(3, `There are ${places.length} columns called ${name}, one is needed`);
    return places[0];
  });
  const where = (row) => `row ${row + 1} (line ${row + 2})`;
  rows.forEach((fields, row) => {
    if (fields.length !== header.length)
      throw new Refused(3, `${where(row)} has ${fields.length} fields, the header ${header.length}`);
  });
  const classes = [list.negative ?? study.scores.negative, list.positive ?? study.scores.positive];
  const sameNumber = (one, other) => NUMBER.test(one) && NUMBER.test(other) && Number(one) === Number(other);
  const scores = rows.map((fields) => (NUMBER.test(fields[score]) ? Number(fields[score]) : NaN));
  const labels = rows.map((fields) =>
    classes.findIndex((word) => word === fields[label] || sameNumber(word, fields[label])),
  );
  return formats.rowsOf(study, scores, labels, where);
}

/** The secret of the upload that may be under way, or a fresh one; on the disk before anything is sent. */
function secretOf({ study, me, state }) {
  const [hash, own] = [study.hash, me.public].map((bytes) => bytes.toString("hex"));
  const file = path.join(state, `${study.id}-${hash.slice(0, 16)}-${own.slice(0, 16)}.secret`);
  if (fs.existsSync(path.join(state, "ended", `${hash}.json`)))
    throw new Refused(4, "This study was ended here by its operator");
  fs.mkdirSync(state, { recursive: true, mode: 0o700 });
  if (!fs.existsSync(file)) {
    const handle = fs.openSync(file, "wx", 0o600);
    fs.writeSync(handle, crypto.randomBytes(32));
    fs.fsyncSync(handle);
    fs.closeSync(handle);
  }
  const secret = fs.readFileSync(file);
  if (secret.length !== 32) throw new Refused(2, `${file} holds no secret of an upload`);
  return { secret, forget: () => fs.rmSync(file) };
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { site: { type: "string" }, yes: { type: "boolean", default: false } },
  });
  if (positionals.length !== 1 || !values.site)
    throw new Refused(2, "Usage: node client.mjs LIST.csv --site site.toml --yes");
  const site = siteOf(values.site);
  const { study, me, owner } = site;
  const hash = study.hash.toString("hex");
  const rows = rowsIn(read(positionals[0], "list"), site);
  check(site, rows.length);
  console.error(`${owner.name} sends ${rows.length} samples in two shares to study ${study.id}`);
  console.error(`its hash is ${hash}: compare it with \`ppaurora study show\``);
  if (!values.yes) throw new Refused(4, "Nothing was sent. Say --yes to send it");
  const { secret, forget } = secretOf(site);
  const upload = formats.uploadOf(study, me.public, secret, rows);
  try {
    const servers = await send(study, me, upload);
    const name = upload.name.toString("hex");
    const receipt = { study: study.id, hash, owner: owner.name, upload: name, samples: rows.length };
    console.log(JSON.stringify({ ...receipt, stored: servers }, null, 2));
  } catch (error) {
    if (error.code === "withdrawn") forget();
    throw error;
  }
}

if (process.argv[1] && fs.realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  main().catch((error) => {
    console.error(`second client: ${error instanceof Refused ? error.message : error.stack}`);
    process.exitCode = error instanceof Refused ? error.exit : 6;
  });
