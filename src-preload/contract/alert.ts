import { z } from 'zod'
import { networkId } from './network.ts'
import { moment, returns, takes } from './route.ts'
import { targetUrl } from './target.ts'

const alertEvent = z.enum(['opened', 'grown', 'closed'])
/** The change of an incident: it began, became worse or ended. */
export type AlertEvent = z.infer<typeof alertEvent>

const telegram = z.object({
  kind: z.literal('telegram'),
  chatId: z
    .string()
    .trim()
    .regex(
      /^(-?\d{1,20}|@\w{4,32})$/,
      'Enter a chat ID such as -1001234567890, or the name of a public channel such as @my_alerts.',
    ),
})

const webhook = z.object({ kind: z.literal('webhook'), url: targetUrl })

const command = z.object({
  kind: z.literal('command'),
  /** The path or name of a program, which is started without a shell. */
  program: z.string().trim().min(1, 'Enter a program.').max(1000, 'At most 1000 characters.'),
  args: z
    .array(
      z
        .string()
        .max(2000, 'At most 2000 characters.')
        .regex(/^[^\0]*$/),
    )
    .max(50, 'At most 50 arguments.'),
})

const which = {
  enabled: z.boolean(),
  events: z.array(alertEvent).min(1, 'Choose at least one event.'),
  /**
   * The networks whose incidents are reported; null for all. Incidents of the whole app are always
   * reported.
   */
  networks: z.array(networkId).nullable(),
}

/** The secret is write-only: null keeps the stored secret. */
const input = z.discriminatedUnion('kind', [
  telegram.extend({
    secret: z
      .string()
      .trim()
      .regex(
        /^\d{3,20}:[\w-]{20,100}$/,
        'Enter the token from @BotFather, which has the form 123456789:AAbbCC….',
      )
      .nullable(),
  }),
  webhook.extend({
    secret: z
      .string()
      .trim()
      .regex(
        /^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/,
        'Enter a secret that begins with whsec_, followed by 24 to 64 bytes in base64.',
      )
      .nullable(),
  }),
  command.extend({ secret: z.null() }),
])

const alertDestination = z.intersection(
  z.discriminatedUnion('kind', [telegram, webhook, command]),
  z.object({
    ...which,
    id: z.string(),
    /** `present` is false if the keychain does not have the secret. Null for a kind without a secret. */
    secret: z.object({ hint: z.string(), present: z.boolean() }).nullable(),
    lastSentAt: moment.nullable(),
    /** `waiting` counts alerts that are sent as soon as possible, `givenUp` those that Tondesk gave up. */
    waiting: z.int(),
    givenUp: z.int(),
    /** Why the last attempt failed; null after a success. */
    problem: z.string().nullable(),
  }),
)
export type AlertDestination = z.infer<typeof alertDestination>

const byName = { id: z.string().max(100) }

export const alertRoutes = {
  'alert.list': returns(z.array(alertDestination)),
  /** Adds a destination if `id` is absent. The kind of an existing destination cannot change. */
  'alert.save': takes(
    z.intersection(input, z.object({ ...which, id: z.string().max(100).nullable() })),
  ).returns(alertDestination),
  /** Waiting alerts are dropped when a destination is turned off. */
  'alert.setEnabled': takes({ ...byName, enabled: z.boolean() }).returns(alertDestination),
  'alert.remove': takes(byName).returns({}),
  /** Sends one test alert now, even if the destination is off. */
  'alert.test': takes(byName).returns({
    /** Null if the alert arrived. */
    problem: z.string().nullable(),
    milliseconds: z.int(),
  }),
  /** Sends the waiting alerts and those that Tondesk gave up, now. */
  'alert.retry': takes(byName).returns(alertDestination),
} as const
