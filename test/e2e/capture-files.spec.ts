import { expect, test } from './fixture.ts'
import { saveFile } from './saved.ts'
import { accountEvent, postDelivery } from './sender.ts'
import { captureDetail } from './pages/capture-detail.ts'
import { captureExport, captureImport } from './pages/capture-files.ts'
import { openNewest, rows } from './pages/captures.ts'
import { frame, openPage } from './pages/frame.ts'

test(
  'captures are exported by key without secrets, and imported from a selected file',
  { tag: '@every-host' },
  async ({ tondesk }) => {
    const { page } = tondesk
    for (const lt of [1, 2]) await postDelivery(tondesk.receiverUrl, accountEvent(lt))
    await openPage(page, 'inspector')
    await expect(rows(page)).toHaveCount(2)
    await page.keyboard.press('e')
    const exporting = captureExport(page)
    const token = new URL(tondesk.receiverUrl).pathname.slice('/hook/'.length)

    await exporting.chooseJsonLines()
    const file = await saveFile(tondesk, exporting.exportFile)
    expect(file.trim().split('\n')).toHaveLength(2)
    expect(file).not.toContain(token)

    await exporting.withTokens.check()
    await expect(exporting.status).toContainText(exporting.text.warning)
    const revealed = await saveFile(tondesk, exporting.exportFile)
    expect(revealed).toContain(token)
    await page.keyboard.press('Escape')

    const { text, imported, problems, ...importing } = captureImport(page)
    await importing.show()
    await importing.chooseFile('x.jsonl', Buffer.from(`${file}{"broken\n`))
    await expect(imported(2, 'x.jsonl')).toBeVisible()
    await expect(problems).toHaveText(text.noJson(3))
    await importing.showImported()
    await expect(rows(page)).toHaveCount(2)
    await expect(importing.countOfImported(2)).toBeVisible()
  },
)

test('a capture file dropped on any page is imported after a confirmation, and another kind of file is refused', async ({
  tondesk,
}) => {
  const { page } = tondesk
  const drop = async (name: string) => {
    const data = await page.evaluateHandle((file) => {
      const given = new DataTransfer()
      given.items.add(new File(['{"log":{"version":"1.2","entries":[]}}'], file))
      return given
    }, name)
    await frame(page).document.dispatchEvent('drop', { dataTransfer: data })
  }
  await openPage(page, 'overview')
  await drop('picture.png')
  await expect(frame(page).message('“picture.png” could not be opened')).toBeVisible()
  await drop('empty.HAR')
  const { question, confirm, failure, text } = captureImport(page)
  await expect(question('empty.HAR')).toBeVisible()
  await confirm()
  await expect(failure).toHaveText(text.noRequest('empty.HAR'))
})

test('a capture is copied as a program with masked secrets', async ({ tondesk }) => {
  const { page } = tondesk
  await postDelivery(tondesk.receiverUrl, accountEvent(1), {
    Authorization: 'Bearer wh_5ecr3t5ecr3t',
  })
  await openPage(page, 'inspector')
  await openNewest(page)
  for (const [kind, sign] of [
    ['javaScript', 'await fetch('],
    ['python', 'http.client'],
  ] as const) {
    await captureDetail(page).copyAs(kind)
    await expect.poll(() => tondesk.readClipboard()).toContain(sign)
    expect(await tondesk.readClipboard()).not.toContain('wh_5ecr3t')
  }
})
