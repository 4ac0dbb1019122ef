import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { openPage } from '../pages/frame.ts'
import { rows } from '../pages/captures.ts'
import { expect, test } from '../fixture.ts'
import { launchStandIn } from '../../stand-in/launch.ts'
import { postDelivery } from '../sender.ts'

const anyPort = ['--receiver-port', '0']

// Detects a start that fails because a part of the desktop is missing, as on a plain window
// manager.
test('without a tray, notifications and a keychain the app starts, receives and shows its window', async ({
  tondesk,
  sharedBrowser,
}) => {
  await tondesk.quit()
  const { dataDirectory } = tondesk
  const env = {
    STAND_IN_TRAY: '0',
    STAND_IN_NOTIFICATIONS: '0',
    DBUS_SESSION_BUS_ADDRESS: 'disabled:',
  }
  const browserEndpoint = (await sharedBrowser()).endpoint
  const app = launchStandIn({ dataDirectory, args: anyPort, env, browserEndpoint })
  const { receiverUrl } = await app.ready
  expect(await postDelivery(receiverUrl ?? '', '{}')).toBe(200)
  const page = await app.page()
  await openPage(page, 'inspector')
  await expect(rows(page)).toHaveCount(1)
  expect((await app.ask('report')).dialogs).toEqual([])
  expect(app.stderr()).toBe('')
  await app.kill()
})

test('a database of a newer version is named in a dialog, and the app ends', async ({
  tondesk,
  sharedBrowser,
}) => {
  await tondesk.quit()
  const { dataDirectory } = tondesk
  const database = new DatabaseSync(join(dataDirectory, 'tondesk.db'))
  // Without the other table, the version would count as damage of the file’s header.
  database.exec('CREATE TABLE newer (x TEXT) STRICT; PRAGMA user_version = 9999')
  database.close()
  const browserEndpoint = (await sharedBrowser()).endpoint
  const app = launchStandIn({ dataDirectory, args: anyPort, browserEndpoint })
  const { detail, message } = await app.dialog()
  expect(message).toBe('Tondesk cannot start.')
  expect(detail).toMatch(/newer version/i)
  expect(detail).toContain(dataDirectory)
  await app.ask('answerDialog', { button: 0 })
  expect((await app.exit).code).toBe(1)
})

test.describe('the memory', () => {
  test.skip(
    process.platform !== 'linux',
    'Only Linux shows the command lines of processes as files.',
  )
  test.use({ withSandbox: true })

  // Detects 64 MB of dead young objects, because a utility process ignores Node’s own option for
  // V8’s flags.
  test('the sandbox process has a small young generation', async ({ tondesk, sharedBrowser }) => {
    await tondesk.quit()
    const { dataDirectory } = tondesk
    const browserEndpoint = (await sharedBrowser()).endpoint
    const args = [...anyPort, '--sandbox-port', '0']
    const app = launchStandIn({ dataDirectory, args, browserEndpoint })
    await app.ready
    await expect
      .poll(() => commandLineOf('sandbox-process.js', app.processId))
      .toContain('--max-semi-space-size=4')
    await app.ask('quit')
    await app.exit
  })
})

function commandLineOf(program: string, parent: number): string {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const isChild = readFileSync(`/proc/${pid}/status`, 'utf8').includes(`PPid:\t${parent}\n`)
      const commandLine = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      if (isChild && commandLine.includes(program)) return commandLine
    } catch {
      // The process has already ended.
    }
  }
  return ''
}
