import type { Command, Invocation } from './command.ts'
import { cancel } from './invoices-cancel.ts'
import { create } from './invoices-create.ts'
import { exportInvoices } from './invoices-export.ts'
import { list, show } from './invoices-list.ts'
import {
  type AskedInvoices,
  type InvoicesAction,
  invoicesOptions,
  readCreate,
  readExport,
  readInvoices,
} from './invoices-options.ts'
import { reconcile } from './invoices-reconcile.ts'
import type { InvoicesWork } from './invoices-work.ts'
import { onNetwork, onStored } from './network-session.ts'

export const invoices: Command = {
  name: 'invoices',
  arguments: 'ACTION [ID…]',
  maxArguments: 1001,
  summary: 'export, list, create and cancel invoices, and reconcile them',
  options: invoicesOptions,
  detail: [
    'An ACTION is one of\n  export        the local ledger, or the close of a period, to a file\n  list          those that the filter names, newest first\n  show ID       one, with what became of it and what to do next\n  create        one of --amount, or many of --file; prints id and link\n  cancel ID…    pending ones, or with --filter those that it names\n  reconcile     reads gateway and chain, and says what does not agree',
    'export, list and show ask no network: they go by what is kept here. export writes FILE and\nFILE.manifest.json with its rows, totals and SHA-256; both are there whole or not at all.',
    'The filter is --from, --to, --by, --status, --currency, --overpaid, --attention and --text. A day\nis one of --zone; --to 2026-01-31 includes that day.',
    'create keeps a draft before it asks the gateway: should it break off, --draft ID goes on with it,\nand nothing is created twice. create of a file and cancel ask first, or take --yes.',
  ],
  exits: {
    3: 'create, cancel: done, but some was refused or is unclear; reconcile: something does not agree',
  },
  async run(invocation) {
    const asked = readInvoices(invocation)
    const work = workOf[asked.action](invocation, asked)
    const on = isStored(asked.action) ? onStored : onNetwork
    return on(invocation, asked.network, 'Run it again.', async (session, network) => {
      if (asked.json) {
        const { dataDirectory, terminal } = invocation
        await terminal.print(JSON.stringify({ event: 'ready', network: network.id, dataDirectory }))
      }
      return work(session, network, asked, invocation)
    })
  },
}

/** These go by the ledger alone. */
function isStored(action: InvoicesAction): boolean {
  return action === 'export' || action === 'list' || action === 'show'
}

type Prepare = (invocation: Invocation, asked: AskedInvoices) => InvoicesWork

const workOf: Readonly<Record<InvoicesAction, Prepare>> = {
  export: (invocation, asked) => exportInvoices(readExport(invocation, asked)),
  list: () => list,
  show: () => show,
  create: (invocation) => create(readCreate(invocation)),
  cancel: () => cancel,
  reconcile: () => reconcile,
}
