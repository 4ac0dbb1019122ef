/** A time span in words, in the largest unit that it fills twice: “119 minutes”, “2 hours”. */
export function describeSpan(ms: number): string {
  const minutes = Math.floor(ms / 60_000)
  if (minutes < 1) return 'less than a minute'
  if (minutes < 120) return countOf(minutes, 'minute')
  const hours = Math.floor(minutes / 60)
  return hours < 48 ? countOf(hours, 'hour') : countOf(Math.floor(hours / 24), 'day')
}

export function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
