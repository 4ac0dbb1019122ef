import { z } from 'zod'
import { keptSecret, networkId } from './network.ts'
import { route } from './route.ts'

const invoiceAccessStep = z.object({
  id: z.enum(['account', 'project', 'granted', 'application', 'token', 'webhook']),
  /** `waiting`: for the operator. `blocked`: one before it is open. `unknown`: cannot be told from here. */
  state: z.enum(['done', 'open', 'waiting', 'blocked', 'unknown']),
  title: z.string(),
  text: z.string(),
  /** Tondesk can do it here; otherwise it is done in the console, and ticked by the person. */
  canDo: z.boolean(),
})
export type InvoiceAccessStep = z.infer<typeof invoiceAccessStep>

const invoiceApplication = z.object({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  recipient: z.string(),
  createdAt: z.int(),
  webhooks: z.array(z.object({ id: z.string(), url: z.string(), isHere: z.boolean() })),
})
export type InvoiceApplication = z.infer<typeof invoiceApplication>

const invoiceAccess = z.object({
  network: networkId,
  steps: z.array(invoiceAccessStep),
  application: invoiceApplication.nullable(),
  appId: z.string().nullable(),
  projectId: z.string().nullable(),
  token: keptSecret.nullable(),
  /** The gateway lets the token register, change and rotate; otherwise that is done in the console. */
  canManage: z.boolean(),
  /** This receiver's URL for invoices: the public one where there is one. */
  receiverUrl: z.string(),
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
  'invoiceAccess.setApplication': route(
    onNetwork.extend({
      name: z.string().trim().min(3, 'At least 3 characters.').max(64, 'At most 64 characters.'),
      description: z.string().trim().max(255, 'At most 255 characters.').default(''),
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
  'invoiceAccess.token': route(onNetwork, z.object({ token: z.string() })),
} as const

export type InvoiceAccessEvents = {
  'invoiceAccess.changed': { readonly network: string }
}
