import { z } from 'zod'
import { keptSecret, networkId } from './network.ts'
import { route } from './route.ts'

/** Specification section 1, step by step. */
const invoiceAccessStep = z.object({
  id: z.enum(['account', 'project', 'granted', 'application', 'token', 'webhook']),
  /** `waiting`: for the operator. `blocked`: one before it is open. `unknown`: cannot be told from here. */
  state: z.enum(['done', 'open', 'waiting', 'blocked', 'unknown']),
  title: z.string(),
  /** What it is, or what to do, in one or two sentences. */
  text: z.string(),
  /** Tondesk can do it here; otherwise it is done in the console, and ticked by the person. */
  canDo: z.boolean(),
})
export type InvoiceAccessStep = z.infer<typeof invoiceAccessStep>

const invoiceApplication = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** Raw. */
  recipient: z.string(),
  createdAt: z.int(),
  webhooks: z.array(z.object({ id: z.string(), url: z.string(), isHere: z.boolean() })),
})
export type InvoiceApplication = z.infer<typeof invoiceApplication>

const invoiceAccess = z.object({
  network: networkId,
  steps: z.array(invoiceAccessStep),
  /** As the gateway tells it; null where it does not answer that to a token. */
  application: invoiceApplication.nullable(),
  /** What the person has told, for gateways that want them in requests. */
  appId: z.string().nullable(),
  projectId: z.string().nullable(),
  token: keptSecret.nullable(),
  /** The gateway lets the token register, change and rotate; otherwise that is done in the console. */
  canManage: z.boolean(),
  /** This receiver's URL for invoices: the public one where there is one. */
  receiverUrl: z.string(),
  /** Why the gateway could not be asked. */
  problem: z.string().nullable(),
})
export type InvoiceAccess = z.infer<typeof invoiceAccess>

const onNetwork = z.object({ network: networkId })
const digits = z
  .string()
  .trim()
  .regex(/^\d{1,19}$/, 'A whole number, as the console shows it.')
const address = z.string().trim().min(1, 'Give an address.').max(100, 'An address is shorter.')

export const invoiceAccessRoutes = {
  /** Asks the gateway. */
  'invoiceAccess.read': route(onNetwork, invoiceAccess),
  /** Walks one of the first three on the sandbox; elsewhere ticks what the person has done, or takes it back. */
  'invoiceAccess.setStep': route(
    onNetwork.extend({ step: z.enum(['account', 'project', 'granted']), done: z.boolean() }),
    invoiceAccess,
  ),
  'invoiceAccess.setIds': route(
    onNetwork.extend({ appId: digits.nullable(), projectId: digits.nullable() }),
    invoiceAccess,
  ),
  /** Registers the application, or changes the one there is. */
  'invoiceAccess.setApplication': route(
    onNetwork.extend({
      name: z.string().trim().min(3, 'At least 3 characters.').max(64, 'At most 64 characters.'),
      description: z.string().trim().max(255, 'At most 255 characters.').default(''),
      /** Any form, of this network. */
      recipient: address,
    }),
    invoiceAccess,
  ),
  'invoiceAccess.addWebhook': route(
    onNetwork.extend({ url: z.url('Give a full URL.').max(2000) }),
    invoiceAccess,
  ),
  'invoiceAccess.removeWebhook': route(onNetwork.extend({ id: z.string() }), invoiceAccess),
  /** The old one dies at once; the new one is kept where secrets are. */
  'invoiceAccess.rotateToken': route(onNetwork, invoiceAccess),
  /** For the person's own backend: an explicit act. */
  'invoiceAccess.token': route(onNetwork, z.object({ token: z.string() })),
} as const

export type InvoiceAccessEvents = {
  'invoiceAccess.changed': { readonly network: string }
}
