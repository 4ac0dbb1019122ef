import { z } from 'zod'
import { hasSecondUrl } from '../domain/urls.ts'
import { decimalsOf } from '../domain/amount.ts'
import { fiatCurrencies } from '../domain/fiat.ts'
import { networkId } from './network.ts'
import { returns, takes } from './route.ts'
import defaults from './default-settings.json' with { type: 'json' }

const MiB = 1024 * 1024

const publicUrl = z
  .string()
  .trim()
  .max(500, 'At most 500 characters.')
  .refine((text) => {
    const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null
    return (
      url !== null &&
      url.username === '' &&
      url.password === '' &&
      url.search === '' &&
      url.hash === '' &&
      !hasSecondUrl(text)
    )
  }, 'Enter one URL such as https://example.ngrok.app, without a query.')

const port = z
  .int()
  .min(1024, 'Choose a port from 1024 to 65535.')
  .max(65_535, 'Choose a port from 1024 to 65535.')

export const receiverSettings = z.object({
  /** The port on 127.0.0.1. If it is in use, the next free port is used and reported. */
  port,
  /** A larger body gets 413, and only its beginning is stored. */
  bodyLimitBytes: z
    .int()
    .min(1024, 'At least 1 KiB.')
    .max(64 * MiB, 'At most 64 MiB.'),
  /** Responds 401 to a webhook event with a wrong or missing token, once a token is known. */
  rejectWrongToken: z.boolean(),
  listenAtStart: z.boolean(),
  /** The address of the tunnel to the receiver; `/hook/<token>` is appended to it. */
  publicUrl: publicUrl.nullable(),
})

const retentionSettings = z.object({
  maxAgeDays: z.int().min(1, 'At least one day.').max(3650, 'At most 3650 days.').nullable(),
  maxCount: z
    .int()
    .min(100, 'At least 100 captures.')
    .max(10_000_000, 'At most 10,000,000 captures.'),
  maxBytes: z
    .int()
    .min(64 * MiB, 'At least 64 MiB.')
    .max(1024 * 1024 * MiB, 'At most 1 TiB.'),
})

const inspectorSettings = z.object({
  /** Requests the transactions of captures automatically; the sandbox's always. */
  meaning: z.boolean(),
})

const hostName = z
  .string()
  .trim()
  .toLowerCase()
  .max(253, 'At most 253 characters.')
  .regex(
    /^[a-z0-9]([a-z0-9.:-]*[a-z0-9])?$/,
    'Enter a host name or an IP address, such as example.com.',
  )

const sandboxSettings = z.object({
  /**
   * True if the sandbox starts automatically: with the app if its network is selected, or when the
   * user selects its network.
   */
  startWithApp: z.boolean(),
  /** Hosts without port, besides this computer, to which the sandbox may deliver. */
  allowHosts: z.array(hostName).max(50, 'At most 50 hosts.'),
  /** The port on 127.0.0.1. If it is in use, the next free port is used and reported. */
  port,
})

const monitoringSettings = z.object({
  sample: z.boolean(),
  everySeconds: z.int().min(10, 'At least 10 seconds.').max(3600, 'At most an hour.'),
  failing: z.boolean(),
  /** An incident opens after this many failures, or when the problem has lasted `failingMinutes`. */
  failedAttempts: z.int().min(1, 'At least one.').max(1000, 'At most 1000.'),
  failingMinutes: z.int().min(1, 'At least a minute.').max(1440, 'At most a day.'),
  offline: z.boolean(),
  lagging: z.boolean(),
  lagMinutes: z.int().min(1, 'At least a minute.').max(10_080, 'At most a week.'),
  recovery: z.boolean(),
  /** Shows incidents as system notifications too, if available. */
  native: z.boolean(),
  /** Local times `HH:MM` between which there are no system notifications. */
  quietHours: z
    .object({ from: z.string().regex(/^\d\d:\d\d$/), to: z.string().regex(/^\d\d:\d\d$/) })
    .nullable(),
})

const appearanceSettings = z.object({
  theme: z.enum(['system', 'light', 'dark']),
  listPercent: z.int().min(20).max(80),
  /** `network`: the selected network's own name of its coin. */
  coinName: z.enum(['network', 'GRAM', 'TON']),
  density: z.enum(['comfortable', 'compact']),
  /** How the window shows times and numbers; fields, exports and the command line use their own formats. */
  time: z.enum(['relative', 'absolute']),
  timeZone: z.enum(['local', 'utc']),
  clock: z.enum(['24h', '12h']),
  /** The sign between groups of three digits and the decimal mark. */
  numbers: z.enum(['space-point', 'comma-point', 'point-comma', 'space-comma', 'none-point']),
  /** Networks whose gateway sent a field `gram…`; never the sandbox, whose specification uses TON. */
  gramNetworks: z.array(networkId),
})

/** Settings of the installed app; browser mode stores them but does not use them. */
const desktopSettings = z.object({
  /** The action when the last window is closed. `ask`: the user has not decided yet. */
  closeWindow: z.enum(['ask', 'keep', 'quit']),
})

function isTimeZone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}

const reportsSettings = z.object({
  /** The name at the top of PDF reports and workbooks; empty for none. */
  merchantName: z.string().trim().max(100, 'At most 100 characters.'),
  /**
   * The currency in which payments are valued at the gateway's rate; null for none, and then no
   * rate is requested.
   */
  fiatCurrency: z.enum(fiatCurrencies).nullable(),
  /** How often a reconciliation is written automatically, once for each period. */
  reconcileEvery: z.enum(['off', 'day', 'week', 'month']),
  reconcileNetwork: networkId,
  /** The full path of an existing folder. */
  reconcileFolder: z
    .string()
    .max(1000, 'At most 1000 characters.')
    .regex(
      /^(\/|[A-Za-z]:[\\/]|\\\\)[^\0]*$/,
      'Enter the full path of a folder, such as /home/ada/books.',
    )
    .nullable(),
  reconcileFormat: z.enum(['csv', 'jsonl', 'xlsx', 'pdf']),
  reconcileZone: z.string().max(60).refine(isTimeZone, 'Enter a time zone such as Europe/Berlin.'),
})

/** An invoice that lacks at most this counts as paid: whole units above zero, with the currency's decimals. */
const tolerance = (decimals: number) =>
  z
    .string()
    .regex(
      new RegExp(`^(?=.*[1-9])\\d{1,6}(\\.\\d{1,${decimals}})?$`),
      `Enter an amount above zero such as 0.02, with at most ${decimals} decimals.`,
    )
    .optional()

const invoicesSettings = z.object({
  /** The tolerances by network and currency; none by default. */
  tolerances: z.record(
    networkId,
    z.object({ TON: tolerance(decimalsOf.TON), USDT: tolerance(decimalsOf.USDT) }),
  ),
})

const updateSettings = z.object({
  /** Checks for a newer version once a day; without effect in a build without an update feed. */
  automatic: z.boolean(),
})

export const settings = z.object({
  receiver: receiverSettings,
  retention: retentionSettings,
  inspector: inspectorSettings,
  sandbox: sandboxSettings,
  monitoring: monitoringSettings,
  reports: reportsSettings,
  invoices: invoicesSettings,
  appearance: appearanceSettings,
  desktop: desktopSettings,
  updates: updateSettings,
})
export type Settings = z.infer<typeof settings>

export const defaultSettings: Settings = settings.parse(defaults)

const settingsPatch = z.object({
  receiver: receiverSettings.partial().optional(),
  retention: retentionSettings.partial().optional(),
  inspector: inspectorSettings.partial().optional(),
  sandbox: sandboxSettings.partial().optional(),
  monitoring: monitoringSettings.partial().optional(),
  reports: reportsSettings.partial().optional(),
  invoices: invoicesSettings.partial().optional(),
  appearance: appearanceSettings.partial().optional(),
  desktop: desktopSettings.partial().optional(),
  updates: updateSettings.partial().optional(),
})
export type SettingsPatch = z.infer<typeof settingsPatch>

export const settingsRoutes = {
  'settings.get': returns(settings),
  'settings.change': takes(settingsPatch).returns(settings),
} as const
