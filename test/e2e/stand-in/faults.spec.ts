import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launchStandIn } from '../../stand-in/launch.ts'
import { expect, test } from '../fixture.ts'
import { postDelivery } from '../sender.ts'

// Detects an app that crashes and restarts forever.
test('after the third crash in ten minutes a dialog lets the user copy the report, quit or start', async ({
  tondesk,
  sharedBrowser,
}) => {
  const { dataDirectory, receiverUrl, running } = tondesk
  const { standIn, mainProcess } = running
  const file = join(dataDirectory, 'run.json')
  const record = JSON.parse(readFileSync(file, 'utf8')) as object
  const crashes = [Date.now() - 2000, Date.now() - 1000]
  writeFileSync(file, JSON.stringify({ ...record, crashes }))
  await mainProcess?.evaluate(() => {
    setTimeout(() => {
      throw new TypeError('a bug')
    })
  })
  await running.exit
  const browserEndpoint = (await sharedBrowser()).endpoint
  const args = standIn?.relaunchArgs() ?? []
  const again = launchStandIn({ dataDirectory, args, browserEndpoint })
  const question = { message: 'Tondesk ended unexpectedly several times.' }
  expect(await again.dialog()).toMatchObject({
    ...question,
    detail: expect.stringMatching(/^TypeError: a bug\n/),
    buttons: ['Quit', 'Copy Report', 'Start Tondesk'],
  })
  await again.ask('answerDialog', { button: 1 })
  expect(await again.dialog()).toMatchObject(question)
  expect((await again.ask('report')).written).toMatch(/^Tondesk ended unexpectedly\n/)
  await again.ask('answerDialog', { button: 2 })
  await again.ready
  expect(await postDelivery(receiverUrl, '{}')).toBe(200)
  await again.kill()
})
