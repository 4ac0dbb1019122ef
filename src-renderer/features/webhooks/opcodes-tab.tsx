/** Opcodes that a webhook is subscribed to: messages with them are delivered, whoever sends them. */
import { useId, useRef } from 'react'
import type { Network } from '../../../src-preload/contract/network.ts'
import type { OpcodeSubscription, Webhook } from '../../../src-preload/contract/webhook.ts'
import { attempt, request, put, useData } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { useShownNetwork, confirmOn, isReal } from '../../components/network-tag.tsx'
import { Form, TextField } from '../../ui/form.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState, Loaded } from '../../ui/loaded.tsx'
import { fromMs } from '../../ui/format.ts'
import { Stack, Moment, Tag, Text } from '../../ui/layout.tsx'
import { announce, showToast } from '../../ui/toast.tsx'
import { Table } from '../../ui/table.tsx'

type Of = Pick<Webhook, 'network' | 'id'>

export function OpcodesTab({ webhook: { network, id } }: { webhook: Webhook }) {
  const query = useData('webhook.opcodes', { network, id })
  return (
    <>
      <AddOpcode webhook={{ network, id }} />
      <Loaded query={query} of="the opcodes" rows={4}>
        {(opcodes) =>
          opcodes.length === 0 ? (
            <EmptyState
              title="No opcodes subscribed"
              detail="An opcode is the first 32 bits of a message. It tells the contract what to do, such as a jetton transfer."
            />
          ) : (
            <OpcodeTable opcodes={opcodes} webhook={{ network, id }} />
          )
        }
      </Loaded>
    </>
  )
}

function AddOpcode({ webhook }: { webhook: Of }) {
  const { data: known = [] } = useData('webhook.knownOpcodes')
  const field = useRef<HTMLInputElement>(null)
  const list = useId()
  const add = async (typed: { opcode: string }) => {
    const text = typed.opcode.trim()
    field.current?.focus()
    if (text === '') return { opcode: 'Enter an opcode, such as 0x0f8a7ea5, or choose a name.' }
    const named = known.find(({ name }) => name === text.toLowerCase())
    await subscribe(webhook, named?.opcode ?? text)
    return undefined
  }
  const form = useForm({ opcode: '' }, add, { clears: true })
  return (
    <Stack pad="l" line="below">
      <Form form={form} action="Subscribe" label="Subscribe an opcode" inline>
        <TextField
          label="Opcode"
          mono
          list={list}
          ref={field}
          placeholder="0x0f8a7ea5, 260734629 or jetton transfer"
          hint="An opcode matches every message on the chain, not only those of the subscribed accounts. A common opcode causes very many deliveries."
          {...form.field('opcode')}
        />
      </Form>
      <datalist id={list}>
        {known.map(({ opcode, name }) => (
          <option key={opcode} value={opcode}>
            {name}
          </option>
        ))}
      </datalist>
    </Stack>
  )
}

function OpcodeTable({ opcodes, webhook }: { opcodes: OpcodeSubscription[]; webhook: Of }) {
  const network = useShownNetwork()
  return (
    <Table
      label="Opcodes"
      rows={opcodes}
      keyOf={({ opcode }) => opcode}
      columns={[
        { name: 'Opcode', look: 'mono', cell: ({ opcode }) => opcode },
        { name: 'Name', cell: ({ name }) => name ?? <Text tone="faint">unknown</Text> },
        { name: 'Status', cell: (opcode) => <Status opcode={opcode} /> },
        {
          name: 'Actions',
          hideName: true,
          look: 'number',
          cell: (opcode) => (
            <Button
              kind="quiet"
              icon="trash"
              aria-label={`Remove ${opcode.opcode}`}
              onClick={() => void unsubscribe(webhook, opcode, network)}
            >
              Remove
            </Button>
          ),
        },
      ]}
    />
  )
}

function Status({ opcode }: { opcode: OpcodeSubscription }) {
  const { status, disabledAt, disabledReason } = opcode
  if (status === 'active') return <Tag tone="ok">active</Tag>
  return (
    <>
      <Tag tone="bad">disabled</Tag>{' '}
      {disabledAt !== null && (
        <Text tone="dim">
          <Moment at={fromMs(disabledAt)} />
        </Text>
      )}{' '}
      {disabledReason ?? 'The gateway does not report why.'}
    </>
  )
}

/** @throws AppError */
async function subscribe({ network, id }: Of, opcode: string): Promise<void> {
  const opcodes = await request('webhook.setOpcode', { network, id, opcode, on: true })
  put('webhook.opcodes', { network, id }, opcodes)
  announce(`${opcode} subscribed`)
}

async function unsubscribe(
  webhook: Of,
  { opcode, name }: OpcodeSubscription,
  shown: Network,
): Promise<void> {
  const { network, id } = webhook
  if (isReal(shown)) {
    const yes = await confirmOn(shown, {
      title: `Stop delivering messages with ${opcode}?`,
      detail: `Messages with this opcode${name === null ? '' : ` (${name})`} are not delivered until you subscribe it again. Those sent meanwhile are never delivered.`,
      action: 'Remove opcode',
      destructive: true,
    })
    if (!yes) return
  }
  const opcodes = await attempt('Could not remove the opcode', () =>
    request('webhook.setOpcode', { network, id, opcode, on: false }),
  )
  if (opcodes === undefined) return
  put('webhook.opcodes', { network, id }, opcodes)
  showToast({
    title: `${opcode} removed`,
    action: {
      label: 'Subscribe again',
      run: () => void attempt('Could not subscribe the opcode', () => subscribe(webhook, opcode)),
    },
  })
}
