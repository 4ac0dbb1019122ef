/** Tests the parts of running without a window that need no Electron. */
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createInterruptions, describePeriod } from '../../../src-main/app/interruptions.ts'
import { createNotices } from '../../../src-main/app/notices.ts'
import { parseDesktopArguments, secondArguments } from '../../../src-main/desktop/arguments.ts'
import {
  autostartEntry,
  createStartAtLogin,
  isAutostarted,
  quoteForWindows,
} from '../../../src-main/desktop/start-at-login.ts'
import { describeStatus, menuLabel, stateMenu, trayStatus } from '../../../src-main/desktop/tray.ts'
import { userTasks } from '../../../src-main/desktop/life.ts'
import type { App, LoginItemSettings, Settings } from 'electron'
import type { Incident } from '../../../src-preload/contract/incident.ts'

const login = vi.hoisted(() => {
  const off: LoginItemSettings = {
    openAtLogin: false,
    executableWillLaunchAtLogin: false,
    wasOpenedAtLogin: false,
    status: 'not-registered',
    launchItems: [],
  }
  const played = {
    off,
    isPackaged: true,
    settings: off,
    refuses: false,
    set: [] as Settings[],
    getAppPath: () => '/app',
    getLoginItemSettings: (): LoginItemSettings => played.settings,
    setLoginItemSettings(wanted: Settings): void {
      played.set.push(wanted)
      if (played.refuses) return
      const { openAtLogin = false } = wanted
      played.settings = { ...off, openAtLogin, executableWillLaunchAtLogin: openAtLogin }
    },
  }
  return played satisfies Pick<
    App,
    'isPackaged' | 'getAppPath' | 'getLoginItemSettings' | 'setLoginItemSettings'
  >
})
vi.mock('electron', () => ({ app: login }))

const listening = {
  status: 'listening',
  url: 'x',
  port: 4801,
  problem: null,
  writable: true,
} as const
const incident: Incident = {
  id: 1,
  network: 'testnet',
  subject: 'webhook:7',
  kind: 'failing',
  level: 'alarm',
  title: 'Deliveries to a&b fail',
  cause: '',
  nextStep: '',
  openedAt: 0,
  closedAt: null,
  wellSince: null,
  count: 1,
  snoozedUntil: null,
}

describe('the tray icon', () => {
  test.each([
    ['receiving', listening, []],
    ['failing', listening, [incident]],
    // On a full disk the receiver responds 503, so an icon for "receiving" would be wrong.
    ['failing', { ...listening, writable: false }, []],
    ['failing', { ...listening, status: 'failed', port: null, url: null }, []],
    // A receiver that the user has paused does not count as failing, whatever else fails.
    ['stopped', { ...listening, status: 'stopped', port: null, url: null }, [incident]],
  ] as const)('the tray icon shows the status %s', (status, receiver, incidents) =>
    expect(trayStatus({ receiver, incidents })).toBe(status),
  )

  test('the state is described in one line', () => {
    expect(describeStatus({ receiver: listening, incidents: [] })).toBe('Receiving on port 4801')
    expect(describeStatus({ receiver: listening, incidents: [incident, incident] })).toBe(
      'Receiving on port 4801, 2 open incidents',
    )
    const stopped = { ...listening, status: 'stopped', port: null } as const
    expect(describeStatus({ receiver: stopped, incidents: [] })).toBe('Receiving is paused')
    const failed = { ...listening, status: 'failed', port: null } as const
    expect(describeStatus({ receiver: failed, incidents: [] })).toBe('Not receiving')
  })

  test('the menu lists at most five incidents, each of which opens its page', () => {
    const opened: (string | undefined)[] = []
    const incidents = Array.from({ length: 7 }, (_, index) => ({ ...incident, id: index + 1 }))
    const actions = {
      open: (hash?: string) => opened.push(hash),
      copyUrl: vi.fn(),
      setReceiving: vi.fn(),
      quit: vi.fn(),
    }
    const menu = stateMenu({ receiver: listening, incidents }, actions)
    const listed = menu.filter(({ label }) => label === 'Deliveries to a&&b fail')
    expect(listed).toHaveLength(5)
    const click = listed[0]?.click as () => void
    click()
    expect(opened).toEqual(['#/webhooks/7/deliveries?network=testnet'])
    const none = stateMenu({ receiver: { ...listening, url: null }, incidents: [] }, actions)
    expect(none.at(-1)).toMatchObject({ label: 'No open incidents', enabled: false })
    expect(none[1]).toMatchObject({ label: 'Copy receiver URL', enabled: false })
  })

  // A title contains the endpoint of a webhook, which the webhook's owner chose.
  test.each([
    ['a\nb\u202ec', 'a b c'],
    ['x'.repeat(80), `${'x'.repeat(69)}…`],
    ['&Quit', '&&Quit'],
  ])('the text %j is shown in a menu as %j', (text, label) => expect(menuLabel(text)).toBe(label))
})

describe('a second start of the app', () => {
  test('a second start is parsed from the arguments it sent, and from argv if it sent none', () => {
    const argv = ['/opt/tondesk', '--allow-file-access-from-files', '--no-open']
    expect(secondArguments(argv, { args: ['--copy-receiver-url'] })).toEqual([
      '--copy-receiver-url',
    ])
    for (const sent of [null, {}, { args: 'x' }, { args: [1] }]) {
      expect(secondArguments(argv, sent)).toEqual(argv.slice(1))
    }
  })

  test('a second start opens no window with --no-open, and copies the receiver URL only with its option', () => {
    expect(parseDesktopArguments(['--no-open', '--copy-receiver-url'])).toMatchObject({
      opensWindow: false,
      copiesUrl: true,
    })
    expect(parseDesktopArguments([])).toMatchObject({ opensWindow: true, copiesUrl: false })
  })
})

// An entry without the data directory would open the default directory.
test('the entries of the Windows taskbar start this app with its data directory', () => {
  login.isPackaged = false
  expect(userTasks(['--data-dir', 'C:\\my data'])).toMatchObject([
    { title: 'Open Tondesk', arguments: '/app --data-dir "C:\\my data"' },
    {
      title: 'Copy receiver URL',
      program: process.execPath,
      arguments: '/app --data-dir "C:\\my data" --no-open --copy-receiver-url',
    },
  ])
})

describe('the start at login', () => {
  beforeEach(() =>
    Object.assign(login, { isPackaged: true, settings: login.off, refuses: false, set: [] }),
  )

  test('the start at login on Windows is hidden and its arguments are quoted', async () => {
    const start = createStartAtLogin(['--data-dir', 'C:\\my data\\'], 'win32')
    await start.set(true)
    expect(login.set).toEqual([
      {
        openAtLogin: true,
        path: process.execPath,
        args: ['--data-dir', '"C:\\my data\\\\"', '--no-open'],
      },
    ])
    expect(await start.state()).toEqual({ startsAtLogin: true, problem: null })
  })

  // The setting must not show "on" while the Task Manager prevents the start.
  test("the start at login is shown as off where the system prevents the start, and the message names the system's setting", async () => {
    login.settings = { ...login.off, openAtLogin: true }
    const windows = await createStartAtLogin([], 'win32').state()
    expect(windows).toMatchObject({
      startsAtLogin: false,
      problem: expect.stringMatching(/Task Manager/) as unknown,
    })
    login.settings = { ...login.off, status: 'requires-approval' }
    const mac = await createStartAtLogin([], 'darwin').state()
    expect(mac).toMatchObject({
      startsAtLogin: false,
      problem: expect.stringMatching(/System Settings/) as unknown,
    })
  })

  test('a start at login that the system refuses is an error', async () => {
    login.refuses = true
    await expect(createStartAtLogin([], 'darwin').set(true)).rejects.toMatchObject({
      code: 'START_AT_LOGIN_REFUSED',
      message: expect.stringMatching(/could not be turned on/) as unknown,
    })
  })

  test('an argument is quoted for the C runtime of Windows', () => {
    expect(quoteForWindows('--no-open')).toBe('--no-open')
    expect(quoteForWindows('C:\\a b\\')).toBe('"C:\\a b\\\\"')
    expect(quoteForWindows('say "hi\\"')).toBe('"say \\"hi\\\\\\""')
  })

  // An unquoted path with a space or a percent sign starts another program or none.
  test('Exec is quoted as the Desktop Entry Specification requires', () => {
    const command = ['/opt/my apps/$x`"\\100%', '--no-open']
    const entry = autostartEntry(command)
    expect(entry).toContain('Exec="/opt/my apps/\\\\$x\\\\`\\\\"\\\\\\\\100%%" --no-open\n')
    expect(isAutostarted(entry, command)).toBe(true)
    expect(() => autostartEntry(['/opt/a\nHidden=true'])).toThrow(/control character/)
  })

  test('an autostart file that the desktop has disabled counts as off', () => {
    const command = ['/opt/tondesk', '--no-open']
    const entry = autostartEntry(command)
    expect(isAutostarted(`${entry}Hidden=true\n`, command)).toBe(false)
    const disabled = entry.replace('enabled=true', 'enabled = false')
    expect(isAutostarted(disabled, command)).toBe(false)
    expect(isAutostarted(entry, ['/elsewhere/tondesk', '--no-open'])).toBe(false)
  })
})

describe('interruptions', () => {
  const minute = 60_000

  function watched() {
    const time = { now: 1_000_000_000_000, uptime: 0 }
    const net = { isOnline: true, addresses: 'a' }
    const recover = vi.fn()
    const notices = createNotices(
      () => undefined,
      () => time.now,
    )
    const interruptions = createInterruptions({
      clock: { now: () => time.now, uptime: () => time.uptime },
      network: () => ({ ...net }),
      notices,
      describePeriod: (from, to) => `${(from - 1e12) / minute}-${(to - 1e12) / minute}`,
      recover,
    })
    const pass = (ms: number) => {
      time.now += ms
      time.uptime += ms
    }
    const titles = () => notices.list().map(({ title }) => title)
    return { interruptions, net, notices, pass, recover, time, titles }
  }

  test('a sleep is reported with its times and starts a recovery', () => {
    const { interruptions, pass, recover, titles } = watched()
    pass(5000)
    interruptions.tick()
    expect(titles()).toEqual([])
    pass(minute - 5000)
    interruptions.suspended()
    pass(120 * minute)
    interruptions.resumed()
    expect(titles()).toEqual(['The computer slept 1-121'])
    expect(recover).toHaveBeenCalled()
  })

  test('a sleep that the system does not report is detected by the timer', () => {
    const { interruptions, pass, titles } = watched()
    pass(30 * minute)
    interruptions.tick()
    expect(titles()).toEqual(['The computer slept 0-30'])
  })

  // A sleeping Mac wakes every few minutes: the notice must not name only the last of forty sleeps.
  test('sleeps with short breaks are one notice, and a later sleep or a sleep after a dismissal is another notice', () => {
    const { interruptions, notices, pass, titles } = watched()
    const sleep = () => {
      interruptions.suspended()
      pass(60 * minute)
      interruptions.resumed()
    }
    sleep()
    pass(minute)
    interruptions.tick()
    sleep()
    expect(titles()).toEqual(['The computer slept 0-121'])
    for (let passed = 0; passed < 20; passed += 1) {
      pass(minute)
      interruptions.tick()
    }
    sleep()
    expect(titles()).toEqual(['The computer slept 141-201'])
    notices.dismiss('computer.slept')
    sleep()
    expect(titles()).toEqual(['The computer slept 201-261'])
  })

  test('a changed clock is not reported as a sleep', () => {
    const { interruptions, pass, time, titles } = watched()
    pass(5000)
    time.now += 180 * minute
    interruptions.tick()
    expect(titles()).toEqual(['The clock of this computer was set forward by 3 hours'])
    time.now -= 240 * minute
    interruptions.tick()
    expect(titles()).toEqual(['The clock of this computer was set back by 4 hours'])
    time.now += 2000
    interruptions.tick()
    expect(titles()).toHaveLength(1)
  })

  test('a lost network is a warning until the network returns, and then a period', () => {
    const { interruptions, net, notices, pass, recover, titles } = watched()
    Object.assign(net, { isOnline: false, addresses: '' })
    interruptions.tick()
    expect(notices.list()).toMatchObject([{ title: 'This computer is offline', level: 'warning' }])
    for (let seconds = 0; seconds < 300; seconds += 5) {
      pass(5000)
      interruptions.tick()
    }
    expect(recover).not.toHaveBeenCalled()
    Object.assign(net, { isOnline: true, addresses: 'b' })
    interruptions.tick()
    expect(titles()).toEqual(['The computer was offline 0-5'])
    expect(recover).toHaveBeenCalledTimes(1)
    net.addresses = 'c'
    interruptions.tick()
    expect(recover).toHaveBeenCalledTimes(2)
  })

  test('a computer that was never online gets no notice', () => {
    const { interruptions, notices } = watched()
    expect(notices.list()).toEqual([])
    interruptions.tick()
    expect(notices.list()).toEqual([])
  })

  test('a period is formatted in the time zone and clock of the settings', () => {
    const at = Date.UTC(2026, 10, 23, 12, 0)
    const utc = { timeZone: 'utc', clock: '24h' } as const
    expect(describePeriod(at, at + 120 * minute, utc)).toBe('from 12:00 to 14:00 UTC')
    expect(describePeriod(at, at + 13 * 60 * minute, utc)).toBe(
      'from 12:00 on 23 Nov to 01:00 on 24 Nov UTC',
    )
    expect(describePeriod(at, at + 120 * minute, { timeZone: 'local', clock: '12h' })).toMatch(
      /^from 0?5:30.pm to 0?7:30.pm$/i,
    )
  })
})
