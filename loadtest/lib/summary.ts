// The output at the end of a run: some lines for the terminal, and a file for the report.

import { text } from './knobs.ts';

export const SUMMARY = {
  /** The JSON file for the knobs, metrics and thresholds of the run. Empty for none. */
  LOAD_SUMMARY_FILE: text(''),
};

interface Metric {
  type: string;
  values: Record<string, number>;
  thresholds?: Record<string, { ok: boolean }>;
}

/** The argument of `handleSummary`. */
interface Data {
  metrics: Record<string, Metric>;
  state: { testRunDurationMs: number };
}

/** Returns the `handleSummary` of a script. */
export function summary(script: string, question: string, knobs: { LOAD_SUMMARY_FILE: string }, facts: Record<string, unknown> = {}) {
  return (data: Data) => {
    const broken = Object.entries(data.metrics).flatMap(([name, { thresholds, values }]) =>
      Object.entries(thresholds ?? {}).filter(([, { ok }]) => !ok).map(([budget]) => `${name}: ${budget} (is ${used(budget, values)})`),
    );
    const files: Record<string, string> = { stdout: lines(script, question, data, broken) };
    if (knobs.LOAD_SUMMARY_FILE !== '') {
      const content = { script: `${script}.ts`, knobs, ...facts, broken, metrics: data.metrics };
      files[knobs.LOAD_SUMMARY_FILE] = `${JSON.stringify(content, null, 1)}\n`;
    }
    return files;
  };
}

function lines(script: string, question: string, { metrics, state }: Data, broken: string[]): string {
  // Kinds of failures without a sample are left out.
  const shown = Object.entries(metrics).filter(([name, { values }]) => !BUILT_IN.test(name) && !(name.includes('{') && values.count === 0)).sort();
  const rows = shown.map(([name, { values }]) => {
    const figures = Object.entries(values).map(([figure, value]) => `${figure}=${Number(value.toFixed(2))}`);
    return `  ${name.padEnd(36)} ${figures.join(' ')}`;
  });
  const verdict = (metrics.iterations?.values.count ?? 0) === 0 ? 'NO REQUEST WAS SENT' : broken.length === 0 ? 'every budget was kept' : `BROKEN: ${broken.join('; ')}`;
  return [`${script}: ${question}`, ...rows, `  ${(state.testRunDurationMs / 1000).toFixed(0)} s; ${verdict}`, ''].join('\n');
}

/** Returns the value of the figure in a budget. */
function used(budget: string, values: Record<string, number>): string {
  const figure = /^[a-z]+(\(\d+(\.\d+)?\))?/.exec(budget)?.[0] ?? '';
  return figure in values ? String(Number(values[figure].toPrecision(4))) : 'no sample';
}

/** Metrics of k6 that are left out, all except `dropped_iterations`. */
const BUILT_IN = /^(?!dropped_iterations)(data_|http_|iteration|vus|checks|group_|dropped)/;
