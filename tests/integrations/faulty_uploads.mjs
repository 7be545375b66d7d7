// Faulty uploads of ben by the second client's own functions; prints what becomes of each.

import crypto from "node:crypto";
import fs from "node:fs";
import { Server, rowsIn, send, siteOf } from "./client.mjs";
import { Refused, begin, uploadOf } from "./formats.mjs";

const site = siteOf("ben.toml"),
  { study, me } = site;
const rows = rowsIn(fs.readFileSync("ben.csv", "utf8"), site);

/** A fresh upload with another part for P1. */
function withP1(change) {
  const upload = uploadOf(study, me.public, crypto.randomBytes(32), rows);
  return { ...upload, parts: { ...upload.parts, P1: change(Buffer.from(upload.parts.P1)) } };
}

const CASES = {
  "of other bytes than announced": async () => {
    const server = new Server(study, "P1", me),
      upload = withP1((part) => part);
    await server.ask("Received", ...begin(upload, "P1"));
    await server.ask("Received", "SendChunk", upload.name, 0, upload.parts.P1.fill(0));
    return server.ask("Received", "CommitUpload", upload.name);
  },
  "a byte short": () =>
    send(
      study,
      me,
      withP1((part) => part.subarray(1)),
    ),
  "for another version": () => {
    const text = JSON.stringify({ ...JSON.parse(study.text), title: "another" });
    return send(
      { ...study, text, hash: Buffer.alloc(32) },
      me,
      withP1((part) => part),
    );
  },
  "not descending": () => {
    const lessFirst = (part) => {
      part.writeBigUInt64LE(BigInt.asUintN(64, part.readBigUInt64LE() - (1n << 61n)));
      return part;
    };
    return send(study, me, withP1(lessFirst));
  },
};

for (const [name, action] of Object.entries(CASES)) {
  try {
    await action();
    console.log(`${name} -> stored`);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    console.log(`${name} -> ${error.message}`);
  }
}
process.exit();
