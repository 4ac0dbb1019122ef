import { useState } from 'react'
import { coinName, parseAmount } from '../../../src-preload/domain/amount.ts'
import type {
  BuiltMessage,
  Emulation,
  MessageOrder,
} from '../../../src-preload/contract/message.ts'
import { request } from '../../app/bridge.ts'
import { useForm } from '../../app/use-form.ts'
import { BocView } from '../../components/body/boc-view.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { QrCode } from '../../components/qr-code.tsx'
import { Checkbox, Field, Form, Select, TextArea, TextField } from '../../ui/form.tsx'
import { Fold, Hint, Pane, Row, Section, Stack, Text } from '../../ui/layout.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { EmulationPanel } from './send-view.tsx'

const kinds = [
  { value: 'transfer', label: 'Transfer' },
  { value: 'jetton', label: 'Jetton transfer' },
  { value: 'call', label: 'Body as BOC' },
] as const

const tonDecimals = 9

type Values = Required<MessageOrder> & { readonly balance: string }

const initial: Values = {
  ...{ kind: 'transfer', from: '', to: '', amount: '', bounce: true, comment: '' },
  ...{ jetton: '', jettonAmount: '', body: '', balance: '' },
}

type Built = { readonly message: BuiltMessage; readonly emulation: Emulation | null }

/** Builds a message, shows what it would do, and hands it to a wallet outside of Tondesk. */
export function BuildView() {
  const network = useShownNetwork().id
  const [built, setBuilt] = useState<Built | null>(null)
  const form = useForm(initial, async ({ balance, ...order }) => {
    setBuilt(null)
    const assumed = readBalance(balance)
    if (assumed === undefined) return { balance: `Enter an amount in ${coinName()}.` }
    const message = await request('message.build', { network, order })
    const { unsigned: boc } = message
    // The link is of use even if the emulation fails.
    setBuilt({ message, emulation: null })
    if (boc === null) return undefined
    const balances = assumed === null ? [] : [{ address: order.from, nanotons: assumed }]
    const given = { network, boc, balances, isUnsigned: true }
    setBuilt({ message, emulation: await request('message.emulate', given) })
    return undefined
  })
  const { kind, bounce, from } = form.values
  const change = (part: Partial<Values>) => {
    setBuilt(null)
    form.change(part)
  }
  const text = (name: Exclude<keyof Values, 'kind' | 'bounce'>) => ({
    ...form.field(name),
    onChange: (value: string) => change({ [name]: value }),
  })
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
          <Field label="Kind">
            <Select
              label="Kind"
              value={kind}
              options={kinds}
              onChange={(next) => change({ kind: next })}
            />
          </Field>
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
          {kind === 'call' ? (
            <TextArea
              label="Body"
              mono
              rows={4}
              spellCheck={false}
              placeholder="te6cck… or b5ee9c72…"
              {...text('body')}
            />
          ) : (
            <TextField label="Comment" {...text('comment')} />
          )}
          <Checkbox
            label="Return the coins if the receiver fails"
            checked={bounce}
            onChange={(next) => change({ bounce: next })}
          />
          <TextField
            label="Assumed balance of the wallet"
            short
            suffix={coinName()}
            hint="For the emulation only. Leave it empty to use the real balance."
            {...text('balance')}
          />
        </Form>
      </Section>
      {built !== null && <Handover message={built.message} />}
      {built !== null && built.emulation !== null && (
        <EmulationPanel emulation={built.emulation} isStale={false} />
      )}
    </Pane>
  )
}

/** Nanotons; null for no entry, undefined for a text that is no amount. */
function readBalance(text: string): string | null | undefined {
  if (text.trim() === '') return null
  try {
    const nanotons = parseAmount(text.trim().replace(',', '.'), tonDecimals)
    return nanotons < 0n ? undefined : nanotons.toString()
  } catch {
    return undefined
  }
}

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
