// What a run says when it ends: a few lines for a person, and a file for the report.

import { text } from './knobs.ts';

export const SUMMARY = {
  /** A file for the run's knobs, metrics and thresholds, as JSON. */
  LOAD_SUMMARY_FILE: text(''),
};

interface Metric {
  type: string;
  values: Record<string, number>;
  thresholds?: Record<string, { ok: boolean }>;
}

/** k6's own name for what `handleSummary` is given. */
interface Data {
  metrics: Record<string, Metric>;
  state: { testRunDurationMs: number };
}

/** Returns a script's `handleSummary`. */
export function summary(script: string, question: string, knobs: { LOAD_SUMMARY_FILE: string }, facts: Record<string, unknown> = {}) {
  return (data: Data) => {
    const broken = Object.entries(data.metrics).flatMap(([name, { thresholds, values }]) =>
      Object.entries(thresholds ?? {}).filter(([, { ok }]) => !ok).map(([budget]) => `${name}: ${budget} (is ${used(budget, values)})`),
    );
    const files: Record<string, string> = { stdout: lines(script, question, data, broken) };
    if (knobs.LOAD_SUMMARY_FILE !== '') {
      const content = { script, question, knobs, ...facts, seconds: data.state.testRunDurationMs / 1000, broken, metrics: data.metrics };
      files[knobs.LOAD_SUMMARY_FILE] = `${JSON.stringify(content, null, 1)}\n`;
    }
    return files;
  };
}

function lines(script: string, question: string, { metrics, state }: Data, broken: string[]): string {
  // A kind of failure that never came has nothing to show.
  const shown = Object.entries(metrics).filter(([name, { values }]) => !BUILT_IN.test(name) && !(name.includes('{') && values.count === 0)).sort();
  const rows = shown.map(([name, { values }]) => {
    const figures = Object.entries(values).map(([figure, value]) => `${figure}=${Number(value.toFixed(2))}`);
    return `  ${name.padEnd(36)} ${figures.join(' ')}`;
  });
  const verdict = (metrics.iterations?.values.count ?? 0) === 0 ? 'NOTHING WAS ASKED' : broken.length === 0 ? 'every budget was kept' : `BROKEN: ${broken.join('; ')}`;
  return [`${script}: ${question}`, ...rows, `  ${(state.testRunDurationMs / 1000).toFixed(0)} s; ${verdict}`, ''].join('\n');
}

/** What a budget's own figure came to. */
function used(budget: string, values: Record<string, number>): string {
  const figure = /^[a-z]+(\(\d+(\.\d+)?\))?/.exec(budget)?.[0] ?? '';
  return figure in values ? String(Number(values[figure].toPrecision(4))) : 'never seen';
}

/** k6's own metrics, of which only these are of interest here. */
const BUILT_IN = /^(?!dropped_iterations)(data_|http_|iteration|vus|checks|group_|dropped)/;
