/** How the window bears a flood of webhooks, as a figure for the bench. */
import type { Page } from '@playwright/test'

export type Responsiveness = {
  /** The longest stretch in which the page's thread did nothing else, in milliseconds; 0 if none was over 50. */
  readonly longestTaskMs: number
  readonly longTasks: number
  /** Answered 200, per second. */
  readonly accepted: number
  readonly perSecond: number
}

export type Flood = {
  readonly perSecond: number
  readonly seconds: number
  /** Sends one webhook; resolves to its status. */
  readonly send: (index: number) => Promise<number>
}

/** Opens nothing and chooses no page: what is in the window now is what is measured. */
export async function measureResponsiveness(page: Page, flood: Flood): Promise<Responsiveness> {
  await page.evaluate(() => {
    const tasks: number[] = []
    Object.assign(window, { longTasks: tasks })
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) tasks.push(entry.duration)
    }).observe({ type: 'longtask' })
  })
  const began = performance.now()
  const endsAt = began + flood.seconds * 1000
  let sent = 0
  let accepted = 0
  const underWay = new Set<Promise<void>>()
  while (performance.now() < endsAt) {
    const due = Math.floor(((performance.now() - began) / 1000) * flood.perSecond)
    for (; sent < due; sent += 1) {
      const one = flood
        .send(sent)
        .then((status) => {
          if (status === 200) accepted += 1
        })
        .catch(() => undefined)
        .finally(() => underWay.delete(one))
      underWay.add(one)
    }
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
  await Promise.all(underWay)
  const seconds = (performance.now() - began) / 1000
  const tasks = await page.evaluate(() => (window as unknown as { longTasks: number[] }).longTasks)
  return {
    longestTaskMs: Math.round(Math.max(0, ...tasks)),
    longTasks: tasks.length,
    accepted,
    perSecond: Math.round(accepted / seconds),
  }
}
