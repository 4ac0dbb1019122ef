import { cpus, release } from 'node:os'

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? NaN
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2
}

export type Figure = {
  readonly name: string
  readonly value: string
  /** The required limit, and whether it was met. */
  readonly wanted?: string
  readonly met?: boolean
}

/** Prints a Markdown table for docs/benchmarks.md. */
export function writeStats(title: string, figures: readonly Figure[]): void {
  const cpu = cpus()
  const lines = [
    `### ${title}`,
    '',
    `${new Date().toISOString().slice(0, 10)}, ${cpu.length} cores ${cpu[0]?.model ?? ''}, ${process.platform} ${release()}, Node ${process.versions.node}`,
    '',
    '| figure | measured | wanted | met |',
    '| --- | --- | --- | --- |',
    ...figures.map(
      ({ name, value, wanted, met }) =>
        `| ${name} | ${value} | ${wanted ?? ''} | ${met === undefined ? '' : met ? 'yes' : '**no**'} |`,
    ),
    '',
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
}
