import { expect, test } from './fixture.ts'
import { saved } from './saved.ts'
import { accountEvent, post } from './sender.ts'
import { openNewest, rows } from './pages/captures.ts'
import { openPage } from './pages/frame.ts'

test(
  'exported by key without secrets, and brought back by choosing the file',
  { tag: '@every-host' },
  async ({ tondesk }) => {
    const { page } = tondesk
    for (const lt of [1, 2]) await post(tondesk.receiverUrl, accountEvent(lt))
    await openPage(page, 'inspector')
    await expect(rows(page)).toHaveCount(2)
    await page.keyboard.press('e')
    const dialog = page.getByRole('dialog', { name: 'Export captures' })
    const token = new URL(tondesk.receiverUrl).pathname.slice('/hook/'.length)

    await dialog.getByRole('button', { name: 'JSON Lines' }).click()
    const file = await saved(tondesk, () => dialog.getByRole('button', { name: 'Export' }).click())
    expect(file.trim().split('\n')).toHaveLength(2)
    expect(file).not.toContain(token)

    await dialog.getByRole('checkbox', { name: /^With tokens/ }).check()
    await expect(dialog.getByRole('status').first()).toContainText('Whoever has the file')
    const revealed = await saved(tondesk, () =>
      dialog.getByRole('button', { name: 'Export' }).click(),
    )
    expect(revealed).toContain(token)
    await page.keyboard.press('Escape')

    await page.getByRole('button', { name: 'Import…' }).click()
    const choose = page.getByRole('dialog', { name: 'Import captures' })
    const bytes = Buffer.from(`${file}{"broken\n`)
    await choose
      .locator('input[type=file]')
      .setInputFiles({ name: 'x.jsonl', mimeType: 'application/json', buffer: bytes })
    await expect(choose.getByText('2 captures of “x.jsonl” are in the inspector')).toBeVisible()
    await expect(choose.getByRole('listitem')).toHaveText('Line 3: it is no JSON.')
    await choose.getByRole('button', { name: 'Show them' }).click()
    await expect(rows(page)).toHaveCount(2)
    await expect(page.getByText('2 captures, 2 made here')).toBeVisible()
  },
)

test('a capture is copied as a program, masked', async ({ tondesk }) => {
  const { page } = tondesk
  await post(tondesk.receiverUrl, accountEvent(1), { Authorization: 'Bearer wh_5ecr3t5ecr3t' })
  await openPage(page, 'inspector')
  const open = await openNewest(page)
  for (const [name, sign] of [
    ['As JavaScript (fetch)', 'await fetch('],
    ['As Python', 'http.client'],
  ] as const) {
    await open.getByRole('button', { name: 'Copy as…' }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
    await expect.poll(() => tondesk.readClipboard()).toContain(sign)
    expect(await tondesk.readClipboard()).not.toContain('wh_5ecr3t')
  }
})
