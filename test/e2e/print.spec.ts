/** Tests pages on paper: Chromium writes the page to a PDF file as a printer would get it. */
import type { Page } from '@playwright/test'
import { connectRequests } from './send-request.ts'
import { expect, test } from './fixture.ts'
import { frame, openPage } from './pages/frame.ts'
import { invoiceDetail } from './pages/invoice-detail.ts'
import { reconciliation } from './pages/invoice-charts.ts'
import { invoiceList } from './pages/invoice-list.ts'

test.use({ withSandbox: true })

test('an invoice and a reconciliation are printed completely, dark on white and without the window’s other parts', async ({
  tondesk,
}, testInfo) => {
  const { page } = tondesk
  const ask = await connectRequests(tondesk)
  await ask('settings.change', { appearance: { theme: 'dark' } })
  await openPage(page, 'invoices')
  await invoiceList(page).createSamples()
  const coffee = invoiceList(page).row(invoiceList(page).sampleOfTon)
  await coffee.click()
  const { open, qrCode, title } = invoiceDetail(page)
  const id = (await title.textContent()) ?? ''
  await page.emulateMedia({ media: 'print' })
  await expect(title).toBeVisible()
  await expect(qrCode(id)).toBeVisible()
  await expect(frame(page).navigation).toBeHidden()
  await expect(coffee).toBeHidden()
  expect(await buttonsIn(page)).toEqual([])
  expect(await cutOff(page)).toEqual([])
  expect(await colourOf(page)).toBe('light')
  // The file is for a developer who inspects changed styles.
  await page.pdf({ path: testInfo.outputPath('invoice.pdf') })
  await page.emulateMedia({ media: 'screen' })
  await expect(frame(page).navigation).toBeVisible()
  await page.keyboard.press('Escape')
  await expect(open).toBeHidden()

  const report = reconciliation(page)
  await report.show()
  await report.difference.waitFor()
  await page.emulateMedia({ media: 'print' })
  await expect(report.difference).toBeVisible()
  await expect(report.onPaper).toBeVisible()
  await expect(frame(page).navigation).toBeHidden()
  expect(await buttonsIn(page)).toEqual([])
  expect(await cutOff(page)).toEqual([])
  await page.pdf({ path: testInfo.outputPath('reconciliation.pdf') })
})

/** The names of the buttons that would be printed. */
const buttonsIn = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('button'))
      .filter((button) => button.checkVisibility() && button.closest('th') === null)
      .map((button) => button.textContent),
  )

/** Parts with contents that would be cut off on paper. */
const cutOff = (page: Page) =>
  page.evaluate(() =>
    Array.from(document.querySelectorAll('[data-print], [data-print] *'))
      .filter((part) => part.checkVisibility() && !part.matches('svg, svg *'))
      .filter(
        ({ scrollHeight, clientHeight, scrollWidth, clientWidth }) =>
          clientHeight > 0 && (scrollHeight > clientHeight + 1 || scrollWidth > clientWidth + 1),
      )
      .filter((part) => getComputedStyle(part).overflow !== 'visible')
      .map((part) => `${part.tagName} ${part.textContent.slice(0, 40)}`),
  )

const colourOf = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).colorScheme)
