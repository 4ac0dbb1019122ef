/** @param from `HH:MM` @param to `HH:MM`, not included; before `from`, it is of the next day */
type QuietHours = { readonly from: string; readonly to: string }

/** By the clock on the wall, which is what a person means, also on the days it is moved. */
export function isQuiet(hours: QuietHours | null, at: Date): boolean {
  if (hours === null) return false
  const from = minutesOf(hours.from)
  const to = minutesOf(hours.to)
  const now = at.getHours() * 60 + at.getMinutes()
  return from <= to ? from <= now && now < to : from <= now || now < to
}

function minutesOf(time: string): number {
  const [hours, minutes] = time.split(':').map(Number)
  return (hours ?? 0) * 60 + (minutes ?? 0)
}
