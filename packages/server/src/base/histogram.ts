/**
 * A histogram as Prometheus text. prom-client's own takes half a microsecond per observation, which every read on the
 * hot path would pay. This one takes a lookup and two additions.
 */

/** Bucket bounds in seconds, from a read in memory to the longest that anything may take. */
const bounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

type Series = { readonly counts: Float64Array; sum: number };

/** Durations in seconds, by labels. `labels` is the text between the braces, and must be one of few values. */
export class Histogram {
  readonly #name: string;
  readonly #help: string;
  readonly #series = new Map<string, Series>();

  constructor({ name, help }: { readonly name: string; readonly help: string }) {
    this.#name = name;
    this.#help = help;
  }

  observe(labels: string, seconds: number): void {
    let series = this.#series.get(labels);
    if (series === undefined) {
      series = { counts: new Float64Array(bounds.length + 1), sum: 0 };
      this.#series.set(labels, series);
    }
    let at = 0;
    while (seconds > (bounds[at] ?? Infinity)) at += 1;
    series.counts[at] = (series.counts[at] ?? 0) + 1;
    series.sum += seconds;
  }

  /** How many observations each series has, as a counter under a name of its own. */
  countsAs({ name, help }: { readonly name: string; readonly help: string }): string {
    const lines = [`# HELP ${name} ${help}`, `# TYPE ${name} counter`];
    for (const [labels, { counts }] of this.#series)
      lines.push(`${name}{${labels}} ${counts.reduce((total, count) => total + count, 0)}`);
    return `${lines.join('\n')}\n`;
  }

  /** All series, cumulative as Prometheus expects them. */
  text(): string {
    const lines = [`# HELP ${this.#name} ${this.#help}`, `# TYPE ${this.#name} histogram`];
    for (const [labels, { counts, sum }] of this.#series) {
      let total = 0;
      [...bounds, '+Inf'].forEach((bound, i) => {
        total += counts[i] ?? 0;
        lines.push(`${this.#name}_bucket{${labels},le="${bound}"} ${total}`);
      });
      lines.push(`${this.#name}_sum{${labels}} ${sum}`, `${this.#name}_count{${labels}} ${total}`);
    }
    return `${lines.join('\n')}\n`;
  }
}
