import { useState } from 'react'
import { coinName } from '../../../src-preload/domain/amount.ts'
import type {
  BuiltMessage,
  Emulation,
  MessageOrder,
} from '../../../src-preload/contract/message.ts'
import { request } from '../../app/bridge.ts'
import { explorerHome } from '../../app/chain-route.ts'
import { navigate } from '../../app/route.ts'
import { useForm } from '../../app/use-form.ts'
import { readCoins } from '../../components/amount.ts'
import { BocView } from '../../components/body/boc-view.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { Button, Choices, IconButton } from '../../ui/button.tsx'
import { Checkbox, Form, type FormState, TextArea, TextField, SelectField } from '../../ui/form.tsx'
import { Fold, Hint, Pane, Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { DictionaryMessage, completeValues } from './dictionary-message.tsx'
import { EmulationPanel, SendView } from './send-view.tsx'

const kinds = [
  { value: 'transfer', label: 'Transfer' },
  { value: 'jetton', label: 'Jetton transfer' },
  { value: 'message', label: 'Message of a dictionary' },
  { value: 'call', label: 'Body as BOC' },
] as const

type Assumed = { readonly key: number; readonly address: string; readonly amount: string }

type Values = Required<MessageOrder> & {
  /** The balances that the emulation uses instead of the real ones. */
  readonly balances: readonly Assumed[]
}

const initial: Values = {
  kind: 'transfer',
  from: '',
  to: '',
  amount: '',
  bounce: true,
  comment: '',
  jetton: '',
  jettonAmount: '',
  body: '',
  message: null,
  values: {},
  balances: [],
}

type Built = { readonly message: BuiltMessage; readonly emulation: Emulation | null }

const stages = [
  { value: 'new', label: 'New message' },
  { value: 'signed', label: 'Signed message' },
] as const

/** Shows the form of a new message for a wallet, and the message that comes back signed. */
export function BuildPage({ isSigned }: { isSigned: boolean }) {
  return (
    <Pane>
      <Row pad="m" line="below">
        <Choices
          label="State of the message"
          value={isSigned ? 'signed' : 'new'}
          options={stages}
          onChange={(next) =>
            navigate(
              { ...explorerHome, view: 'build', isSigned: next === 'signed' },
              { replace: true },
            )
          }
        />
      </Row>
      {isSigned ? <SendView /> : <BuildView />}
    </Pane>
  )
}

/** Builds a message, shows its effects, and passes it to a wallet outside of Tondesk. */
function BuildView() {
  const network = useShownNetwork().id
  const [built, setBuilt] = useState<Built | null>(null)
  const form = useForm(initial, async ({ balances: entered, ...order }) => {
    setBuilt(null)
    const balances = []
    for (const [index, { address, amount }] of entered.entries()) {
      const { units, problem } = readCoins(amount, 'TON')
      if (units === null) return { [`balances.${index}`]: problem }
      balances.push({ address, nanotons: units })
    }
    const { message: described } = order
    if (order.kind === 'message' && described === null) return { message: 'Choose a message.' }
    if (order.kind === 'message' && described !== null) {
      const { inputs } = await request('dictionary.inputs', described)
      order.values = completeValues(inputs, order.values)
    }
    const message = await request('message.build', { network, order })
    const { unsigned: boc } = message
    // The link is useful even if the emulation fails.
    setBuilt({ message, emulation: null })
    if (boc === null) return undefined
    const given = { network, boc, isUnsigned: true, balances }
    setBuilt({ message, emulation: await request('message.emulate', given) })
    return undefined
  })
  const change = (part: Partial<Values>) => {
    setBuilt(null)
    form.change(part)
  }
  const { kind, bounce, from, to, message, values, balances: assumed } = form.values
  const text = (
    name: Exclude<keyof Values, 'kind' | 'bounce' | 'message' | 'values' | 'balances'>,
  ) => ({ ...form.field(name), onChange: (value: string) => change({ [name]: value }) })
  return (
    <Pane roomy tabIndex={0} role="region" aria-label="Message builder">
      <Section
        level={2}
        title="Build a message"
        aria-label="New message"
        detail="Tondesk has no keys and sends nothing here. Your wallet signs and sends the message."
      >
        <Form
          form={form}
          action={from.trim() === '' ? 'Build' : 'Build and emulate'}
          label="Build a message"
          inline
        >
          <SelectField
            label="Kind"
            value={kind}
            options={kinds}
            onChange={(next) => change({ kind: next })}
          />
          <TextField
            label="From wallet"
            mono
            placeholder="EQ… or UQ…"
            hint={
              kind === 'jetton'
                ? 'The owner of the jettons. A deployed wallet of version 3, 4 or 5.'
                : 'A deployed wallet of version 3, 4 or 5. Without a wallet the message is built, but not emulated.'
            }
            {...text('from')}
          />
          <TextField label="To" mono placeholder="EQ… or UQ…" {...text('to')} />
          {kind === 'jetton' && (
            <>
              <TextField label="Jetton" mono placeholder="EQ…" {...text('jetton')} />
              <TextField label="Amount of jettons" short {...text('jettonAmount')} />
            </>
          )}
          <TextField
            label={kind === 'jetton' ? 'Coins for the fees' : 'Amount'}
            short
            suffix={coinName()}
            placeholder={kind === 'jetton' ? '0.05' : '1.5'}
            {...text('amount')}
          />
          {kind === 'call' && (
            <TextArea
              label="Body"
              mono
              rows={4}
              spellCheck={false}
              placeholder="te6cck… or b5ee9c72…"
              {...text('body')}
            />
          )}
          {kind === 'message' && (
            <DictionaryMessage
              network={network}
              to={to}
              entered={{ message, values }}
              errors={form.errors}
              onChange={change}
            />
          )}
          {(kind === 'transfer' || kind === 'jetton') && (
            <TextField label="Comment" {...text('comment')} />
          )}
          <Checkbox
            label="Return the coins if the receiver fails"
            checked={bounce}
            onChange={(next) => change({ bounce: next })}
          />
          {from.trim() !== '' && (
            <Balances
              balances={assumed}
              preset={from.trim()}
              errors={form.errors}
              onChange={(next) => change({ balances: next })}
            />
          )}
        </Form>
      </Section>
      {built !== null && <Handover message={built.message} />}
      {built !== null && built.emulation !== null && (
        <EmulationPanel emulation={built.emulation} isStale={false} />
      )}
    </Pane>
  )
}

/** The balances that the emulation assumes. The gateway takes at most one for each account. */
function Balances({
  balances,
  preset,
  errors,
  onChange,
}: Pick<Values, 'balances'> & {
  /** The address with which a new entry begins. */
  preset: string
  errors: FormState<object>['errors']
  onChange: (balances: readonly Assumed[]) => void
}) {
  const change = (key: number, part: Partial<Assumed>) =>
    onChange(balances.map((each) => (each.key === key ? { ...each, ...part } : each)))
  const add = () => {
    const key = (balances.at(-1)?.key ?? 0) + 1
    onChange([...balances, { key, address: balances.length === 0 ? preset : '', amount: '' }])
  }
  return (
    <Stack gap="s" role="group" aria-label="Assumed balances">
      {balances.length > 0 && (
        <Text size="s" strong>
          Assumed balances
        </Text>
      )}
      {balances.map(({ key, address, amount }, index) => (
        <Row key={key} gap="s" align="start">
          <Stack grow>
            <TextField
              label={`Account ${index + 1}`}
              hideLabel
              mono
              placeholder="EQ… or UQ…"
              value={address}
              error={errors[`balances.${index}.address`]}
              onChange={(next) => change(key, { address: next })}
            />
          </Stack>
          <TextField
            label={`Assumed balance of account ${index + 1}`}
            hideLabel
            short
            suffix={coinName()}
            value={amount}
            error={errors[`balances.${index}`]}
            onChange={(next) => change(key, { amount: next })}
          />
          <IconButton
            icon="close"
            label={`Remove assumed balance ${index + 1}`}
            onClick={() => onChange(balances.filter((each) => each.key !== key))}
          />
        </Row>
      ))}
      {balances.length < maxBalances && (
        <Row>
          <Button kind="quiet" icon="plus" onClick={add}>
            Assume a balance
          </Button>
          <Hint>For the emulation only. Other accounts have their real balances.</Hint>
        </Row>
      )}
    </Stack>
  )
}

/** `message.emulate` accepts at most this many balances. */
const maxBalances = 20

function Handover({ message: { link, body, message } }: { message: BuiltMessage }) {
  return (
    <Section title="For your wallet" aria-label="For your wallet">
      <Stack>
        <Row gap="s">
          <Text mono over="break">
            {link}
          </Text>
          <CopyButton text={link} what="Link" label="Copy link" />
        </Row>
        <Fold summary="QR code" lazy>
          <QrCode text={link} title="The message for a wallet" name="message" />
        </Fold>
        {body === null ? (
          <Hint>The message has no body.</Hint>
        ) : (
          <Fold summary="Body" lazy>
            <BocView boxed boc={body} what="Body" fileName="body.boc" />
          </Fold>
        )}
        <Fold summary="Internal message" lazy>
          <BocView boxed boc={message} what="Internal message" fileName="message.boc" />
        </Fold>
      </Stack>
    </Section>
  )
}
