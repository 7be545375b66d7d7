// The client passes the test vectors: node --test vectors.test.mjs FOLDER, the folder of the vectors.

import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { test } from "node:test";
import * as formats from "./formats.mjs";

const FOLDER = process.env.VECTORS;
const vectors = (name) => JSON.parse(fs.readFileSync(path.join(FOLDER, `${name}.json`), "ascii"));
const hex = (bytes) => Buffer.from(bytes).toString("hex");
const bytes = (text) => Buffer.from(text, "hex");
const refuses = (action) => assert.throws(action, formats.Refused);

test("keys", () => {
  const { good, refused_private, refused_public } = vectors("keys");
  for (const one of good) {
    const me = formats.identity(one.private_line);
    assert.equal(hex(me.public), one.exchange + one.signing);
    assert.equal(hex(formats.publicKey(one.public_line)), one.exchange + one.signing);
    assert.equal(formats.fingerprint(me.public), one.fingerprint);
    assert.equal(formats.fingerprint(me.public.subarray(0, 32)), one.link_fingerprint);
    assert.equal(hex(me.sign(bytes(one.message))), one.signature);
  }
  for (const { line } of refused_private) refuses(() => formats.identity(line));
  for (const { line } of refused_public) refuses(() => formats.publicKey(line));
});

test("study", () => {
  const { good, refused } = vectors("study");
  const files = good.filter((one) => one.toml);
  assert.ok(files.length > 5);
  let read = 0;
  for (const one of files) {
    const content = formats.contentOf(one.toml);
    assert.equal(formats.canonical(content), one.canonical);
    assert.equal(hex(formats.hashOf(content)), one.hash);
    read++;
  }
  assert.equal(read, files.length);
  for (const { toml } of refused) refuses(() => formats.study(toml));
});

test("requests", () => {
  const { study, hash, good, replies, refused_replies } = vectors("requests");
  for (const one of good) {
    const fields = Object.values(one.fields).map((value) => asSent(value));
    assert.equal(hex(formats.request({ id: study, hash: bytes(hash) }, one.name, ...fields)), one.bytes);
  }
  for (const one of replies) {
    const { name, fields } = formats.reply(bytes(one.bytes));
    assert.equal(name, one.name);
    assert.deepEqual(fields.map(asTold), Object.values(one.fields));
  }
  for (const one of refused_replies) refuses(() => formats.reply(bytes(one.bytes)));
});

/** A field of a vector as it is sent: texts of it are bytes in hexadecimal digits. */
function asSent(value) {
  if (Array.isArray(value)) return value.map(asSent);
  return typeof value === "string" ? bytes(value) : value;
}

/** A field of a reply as vectors have it. */
function asTold(value) {
  if (Array.isArray(value)) return value.map((one) => (one instanceof Uint8Array ? hex(one) : word(one)));
  if (value instanceof Uint8Array) return hex(value);
  return typeof value === "bigint" ? Number(value) : value;
}

const word = (value) => value.toString(16).padStart(16, "0");

/** The studies that this client knows, by the name that the vectors give them. */
const studies = {};
for (const { name, canonical, hash } of vectors("study").good) {
  const content = JSON.parse(canonical);
  try {
    studies[name] = { ...content, ...formats.plan(content), hash: bytes(hash) };
  } catch (error) {
    assert.ok(error instanceof formats.Refused, error.stack);
  }
}
const SUPPORTED = [
  "full",
  "full, one sample",
  "full, lower",
  "full, 0 to 20",
  "full, any",
  "float32",
  "float32, lower",
  "float32, any",
  "float32, whole words",
  "decimals, sorted",
  "decimals, counted",
  "decimals, counted, lower",
  "squares",
  "squares, lower",
  "list and sums",
  "list and sums, halves",
  "three runs",
];

test("shares: it refuses every kind of part that it does not know", () => {
  const uploads = vectors("shares").good.map((one) => one.study);
  assert.deepEqual(
    uploads.filter((name) => studies[name]),
    SUPPORTED,
  );
});

for (const one of vectors("shares").good.filter(({ study }) => SUPPORTED.includes(study)))
  test(`shares: ${one.study}`, () => {
    const { secret, owner_private } = vectors("shares");
    const study = studies[one.study],
      me = formats.identity(`ppaurora-private-2:${owner_private}`);
    const labels = [...one.labels].map(Number);
    const rows = formats.rowsOf(study, one.scores.map(Number), labels);
    const upload = formats.uploadOf(study, me.public, bytes(secret), rows);
    const words = formats.wordsOf(study, rows).flatMap(({ words }) => [...words]);
    assert.deepEqual(words.map(word), one.words);
    assert.equal(hex(upload.name), one.upload);
    assert.deepEqual(upload.seeds.map(hex), one.seeds);
    for (const [server, part] of Object.entries(one.parts)) {
      assert.equal(hex(upload.parts[server]), part);
      const sent = [
        formats.request(study, ...formats.begin(upload, server)),
        formats.request(study, "SendChunk", upload.name, 0, upload.parts[server]),
        formats.request(study, "CommitUpload", upload.name),
      ];
      assert.deepEqual(sent.map(hex), one.requests[server]);
    }
    assert.deepEqual(Object.keys(upload.parts), Object.keys(one.parts));
  });

test("shares: lists that the study does not take", () => {
  for (const { study, scores, labels } of vectors("shares").refused_lists)
    refuses(() =>
      formats.rowsOf(
        studies[study],
        scores.map((text) => Number(text.replace("inf", "Infinity"))),
        [...labels].map(Number),
      ),
    );
});

test("shares: it never makes words with a hidden fault", () => {
  for (const one of vectors("shares").unsound.filter(({ study }) => SUPPORTED.includes(study))) {
    const good = vectors("shares").good.find(({ study }) => study === one.study);
    const rows = formats.rowsOf(studies[one.study], good.scores.map(Number), [...good.labels].map(Number));
    const found = formats.wordsOf(studies[one.study], rows).flatMap(({ words }) => [...words].map(word));
    assert.notDeepEqual(found, one.words);
  }
});
