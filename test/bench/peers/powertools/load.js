// Drives one way of running work once by orders on standard input, as the Go
// package load does: see its documentation for the orders and what they check.
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const template = JSON.parse(readFileSync(new URL('../load/event.json', import.meta.url), 'utf8'));
const known = 100;
const raced = 3;
const settled = 3;
const samples = 1000;

export const newEvent = (key) => ({ id: key, ...template });

/** The function that is guarded. Its answer is no other run's. */
export const effect = { runs: 0 };
export const run = async (event) => ({ key: event.id, run: ++effect.runs });

/** @param call brings an event; it throws an error named InFlight for one that was sent away. */
export async function serve(call) {
  for await (const line of createInterface({ input: process.stdin })) {
    process.stdout.write(`${JSON.stringify(await obey(call, JSON.parse(line)))}\n`);
  }
}

async function obey(call, order) {
  const kinds = { first, repeat, race };
  try {
    if (!kinds[order.kind]) throw new Error(`no order ${order.kind}`);
    return await kinds[order.kind](call, order);
  } catch (error) {
    return { calls: 0, seconds: 0, latency: [], cpu: 0, effects: 0, fault: String(error) };
  }
}

// callers calls from as many loops as the order says, one call after another in
// each, until its time is over.
async function callers(order, call) {
  const took = [];
  const cpu = process.cpuUsage();
  const began = process.hrtime.bigint();
  const until = began + BigInt(order.millis) * 1_000_000n;
  const loop = async (caller) => {
    let last = began;
    for (let n = 0; last < until; n++) {
      await call(caller, n);
      const now = process.hrtime.bigint();
      took.push(Number(now - last) / 1e3);
      last = now;
    }
  };
  await Promise.all(Array.from({ length: order.parallel }, (_, i) => loop(i)));
  const seconds = Number(process.hrtime.bigint() - began) / 1e9;
  const used = process.cpuUsage(cpu);
  took.sort((a, b) => a - b);
  const kept = Math.min(took.length, samples);
  const latency = Array.from({ length: kept }, (_, i) => took[Math.floor((i * took.length) / kept)]);
  return { calls: took.length, seconds, latency, cpu: (used.user + used.system) / 1e6 };
}

async function first(call, order) {
  const before = effect.runs;
  const report = await callers(order, async (caller, n) => {
    const key = `${order.space}-${caller}-${n}`;
    const answer = await call(newEvent(key));
    if (answer.key !== key) throw new Error(`event ${key} got the answer ${JSON.stringify(answer)}`);
  });
  report.effects = effect.runs - before;
  if (report.effects !== report.calls) report.fault = `${report.calls} new events acted ${report.effects} times`;
  return report;
}

async function repeat(call, order) {
  const events = [];
  const answers = [];
  for (let i = 0; i < known; i++) {
    events.push(newEvent(`${order.space}-${i}`));
    for (let n = 0; n < settled; n++) {
      const answer = JSON.stringify(await call(events[i]));
      answers[i] ??= answer;
    }
  }
  const before = effect.runs;
  const report = await callers(order, async (caller, n) => {
    const i = (Math.floor((caller * known) / order.parallel) + n) % known;
    const answer = JSON.stringify(await call(events[i]));
    if (answer !== answers[i]) throw new Error(`a repeat got ${answer}, the first call ${answers[i]}`);
  });
  report.effects = effect.runs - before;
  if (report.effects !== 0) report.fault = `${report.calls} repeats acted ${report.effects} times`;
  return report;
}

async function race(call, order) {
  const before = effect.runs;
  let inFlight = 0;
  const calls = raced * order.parallel;
  await Promise.all(
    Array.from({ length: calls }, async (_, i) => {
      try {
        await call(newEvent(`${order.space}-${i % raced}`));
      } catch (error) {
        if (error.name !== 'InFlight') throw error;
        inFlight++;
      }
    }),
  );
  const report = { calls, seconds: 0, latency: [], cpu: 0, effects: effect.runs - before, inFlight };
  if (report.effects !== raced) report.fault = `${raced} events from ${order.parallel} callers at once acted ${report.effects} times`;
  return report;
}
