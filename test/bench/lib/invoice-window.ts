/** Measures the list of many invoices in the product's own window. */
import { type Page, chromium } from '@playwright/test'
import { frame } from '../../e2e/pages/frame.ts'
import { type Figure, median } from './stats.ts'
import { type ListBench, durationFigure, listMs, touchInvoice } from './invoice-lists.ts'
import { chromiumPath } from '../../stand-in/chromium.ts'

/** Measures the milliseconds from an action until the list has another first row, within the page. */
async function untilRows(page: Page, hash: string): Promise<number> {
  return page.evaluate(
    (wanted) =>
      new Promise<number>((resolve) => {
        const first = () =>
          document.querySelector(
            '[role="grid"][aria-label="Invoices"] [role="row"][data-index="0"]',
          )?.textContent ?? ''
        const before = first()
        const from = performance.now()
        window.location.hash = wanted
        const look = () => {
          const now = first()
          if (now !== '' && now !== before) resolve(performance.now() - from)
          else requestAnimationFrame(look)
        }
        requestAnimationFrame(look)
      }),
    hash,
  )
}

export async function measureWindow(bench: ListBench): Promise<Figure[]> {
  const browser = await chromium.launch({
    executablePath: chromiumPath() ?? 'chromium',
    args: [
      '--disable-background-networking',
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ],
  })
  try {
    const page = await browser.newPage({ viewport: { width: 1360, height: 820 } })
    await page.goto(bench.product.appUrl)
    await frame(page).title('overview').waitFor()
    const list = `#/invoices?network=${bench.network}`
    const opens: number[] = []
    const orders: number[] = []
    const filters: number[] = []
    for (let time = 0; time < bench.times; time += 1) {
      await page.evaluate(() => {
        window.location.hash = '#/overview'
      })
      await frame(page).title('overview').waitFor()
      touchInvoice(bench)
      opens.push(await untilRows(page, list))
      for (const by of ['amount', 'description', '-payer']) {
        orders.push(await untilRows(page, `${list}&sort=${by}`))
      }
      for (const asked of [
        `q=order+${100_001 + time}`,
        'status=expired',
        `min=5&max=${80 + time}`,
      ]) {
        filters.push(await untilRows(page, `${list}&${asked}`))
      }
    }
    return [
      durationFigure('the list opens in the window', median(opens), listMs),
      durationFigure('the list is sorted in the window', median(orders), listMs),
      durationFigure('the list is filtered in the window', median(filters), listMs),
    ]
  } finally {
    await browser.close()
  }
}
