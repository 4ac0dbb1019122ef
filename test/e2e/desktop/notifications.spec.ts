import type { Notification } from 'electron'
import { connectRequests } from '../send-request.ts'
import { expect, freePort, test } from '../fixture.ts'
import { postDelivery } from '../sender.ts'
import { mainProcess } from './main-process.ts'

declare global {
  /** A variable of the main process: the notifications that would have been shown. */
  var shownNotifications: Notification[] | undefined
}

// Detects a click that opens only the Overview, an action without effect, and a token on the lock
// screen.
test('a notification opens the page of its incident, can snooze it, and shows no secret', async ({
  tondesk,
}) => {
  const main = mainProcess(tondesk)
  await main.evaluate(({ Notification: Native }) => {
    const shown: Notification[] = []
    globalThis.shownNotifications = shown
    Native.prototype.show = function show(this: Notification) {
      shown.push(this)
    }
  })
  const ask = await connectRequests(tondesk)
  await ask('settings.change', { monitoring: { failedAttempts: 1 } })
  const target = `http://127.0.0.1:${await freePort()}/in/c4n4ry?token=c4n4ry`
  const { id } = await ask('forwardRule.save', { targets: [target] })
  expect(await postDelivery(tondesk.receiverUrl, '{}')).toBe(200)
  const shown = () =>
    main.evaluate(() =>
      globalThis.shownNotifications?.map(({ title, body, actions }) => ({
        title,
        body,
        actions: actions.map(({ text }) => text),
      })),
    )
  await expect.poll(shown).toMatchObject([
    {
      title: expect.stringMatching(/^Forwarding to /),
      actions: ['Explain', 'Snooze for 1 Hour'],
    },
  ])
  expect(JSON.stringify(await shown())).not.toContain('c4n4ry')

  const hash = () => tondesk.page.evaluate(() => location.hash)
  await main.evaluate(() => {
    globalThis.shownNotifications?.[0]?.emit('action', { actionIndex: 1, selectionIndex: -1 })
  })
  const page = { network: null, open: true, offset: 0, limit: 10 }
  const snoozes = async () =>
    (await ask('incident.list', page)).incidents.map(({ snoozedUntil }) => typeof snoozedUntil)
  await expect.poll(snoozes).toEqual(['number'])
  expect(await hash()).not.toContain('forwarding')
  await main.evaluate(() => {
    globalThis.shownNotifications?.[0]?.emit('action', { actionIndex: 0, selectionIndex: -1 })
  })
  await expect.poll(hash).toBe(`#/inspector/forwarding/${id}`)
})
