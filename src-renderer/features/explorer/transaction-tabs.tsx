import { useState, type ReactNode } from 'react'
import type { AccountRef } from '../../../src-preload/contract/chain/references.ts'
import type {
  DecodedField,
  MessageView,
  TransactionView,
} from '../../../src-preload/contract/chain/transaction.ts'
import { BocView } from '../../components/body/boc-view.tsx'
import { UntrustedText } from '../../components/body/untrusted-text.tsx'
import { withSource } from '../../components/trace/tree-text.ts'
import { AccountLink } from '../../components/chain/account-link.tsx'
import {
  Amount,
  HashText,
  LtText,
  OpcodeTag,
  describeCode,
} from '../../components/chain/chain-text.tsx'
import { Button } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatHash, formatNumber, fromMs } from '../../ui/format.ts'
import { Hint, Tag, Text, Row, Section, Stack, Small, Fold } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { describeChange } from './labels.ts'

/** The number of messages that are shown at first; a transaction may send 255 messages. */
const shownAtFirst = 20

/** Shows the incoming and outgoing messages, with decoded bodies if the format is known. */
export function Messages({ transaction }: { transaction: TransactionView }) {
  const [showsAll, setShowsAll] = useState(false)
  const { inMessage, outMessages } = transaction
  if (inMessage === null && outMessages.length === 0) {
    return (
      <EmptyState
        title="No messages"
        detail="The network started this transaction without a message, for example to collect a storage fee."
      />
    )
  }
  const shown = showsAll ? outMessages : outMessages.slice(0, shownAtFirst)
  return (
    <Stack gap="none" role="region" aria-label="Messages">
      {inMessage !== null && <Message title="Incoming message" message={inMessage} />}
      {shown.map((message, index) => (
        <Message
          key={message.hash}
          title={`Outgoing message ${index + 1} of ${outMessages.length}`}
          message={message}
        />
      ))}
      {shown.length < outMessages.length && (
        <Row pad="m">
          <Button onClick={() => setShowsAll(true)}>Show all {outMessages.length} messages</Button>
        </Row>
      )}
    </Stack>
  )
}

const types: Record<MessageView['type'], string> = {
  internal: 'internal',
  external_in: 'external, incoming',
  external_out: 'external, outgoing',
}

function Message({ title, message }: { title: string; message: MessageView }) {
  const { body, rawBody, hash } = message
  return (
    <Section
      title={title}
      actions={
        <>
          <OpcodeTag operation={message.operation} opcode={message.opcode} />
          {message.bounced && <Tag tone="warn">bounced</Tag>}
          {message.type === 'internal' && <Amount units={message.value} />}
          {message.extra.map(({ asset, units }) => (
            <Amount key={asset.extraCurrency} units={units} asset={asset} />
          ))}
        </>
      }
    >
      <Stack>
        <KeyValues values={messagePairs(message)} />
        {body !== null && (
          <>
            <Text as="p" size="s" strong tone="dim">
              Body: <Text mono>{withSource(body.operation, body.source)}</Text>
            </Text>
            <KeyValues
              wide
              pairs={body.fields.map((field) => [
                field.name,
                <Field key={field.name} field={field} />,
              ])}
            />
          </>
        )}
        {rawBody !== null && (
          <Fold summary="Raw body" lazy>
            <BocView boxed boc={rawBody} what="Body" fileName={`body-${hash.slice(0, 16)}.boc`} />
          </Fold>
        )}
      </Stack>
    </Section>
  )
}

function messagePairs(message: MessageView) {
  const { source, destination, comment, opcode } = message
  const isInternal = message.type === 'internal'
  return {
    From: <Party account={source} />,
    To: <Party account={destination} />,
    Comment: comment && <UntrustedText over="lines" text={comment} />,
    Type: types[message.type],
    Hash: <HashText hash={message.hash} what="Message hash" />,
    Opcode: opcode && <Text mono>{opcode}</Text>,
    Created: isInternal ? (
      <span>
        <Moment at={fromMs(message.createdAt)} />, logical time <LtText lt={message.createdLt} />
      </span>
    ) : null,
    Bounceable: isInternal ? (message.bounce ? 'yes' : 'no') : null,
    'IHR fee':
      isInternal && message.ihrFee !== '0' ? (
        <span>
          <Amount units={message.ihrFee} />, credited to the receiver
        </span>
      ) : null,
    'Forward fee': isInternal ? <Amount units={message.forwardFee} /> : null,
    'Import fee':
      message.type === 'external_in' && message.importFee !== null ? (
        <Amount units={message.importFee} />
      ) : null,
    'State init': message.init && 'contains the code of a contract',
  }
}

const Party = ({ account }: { account: AccountRef | null }) =>
  account === null ? 'external' : <AccountLink account={account} />

/** Shows a decoded value in the form that suits its kind. */
export function Field({ field: { kind, value, name } }: { field: DecodedField }) {
  switch (kind) {
    case 'text':
      return <UntrustedText text={value} />
    case 'ton':
      return <Amount units={value} />
    case 'number':
      return (
        <>
          <Text mono>{/^-?\d+$/.test(value) ? formatNumber(value) : value}</Text>
          {formatHash(value) !== null && <Text tone="dim"> (hex {formatHash(value)})</Text>}
          {name === 'valid_until' && /^\d{9,10}$/.test(value) && (
            <Text tone="dim">
              {' '}
              (<Moment at={fromMs(Number(value) * 1000)} />)
            </Text>
          )}
        </>
      )
    case 'address':
      return <AccountLink account={{ address: value }} />
    case 'bytes':
    case 'cell':
      return (
        <Row gap="xs">
          <Text mono over="break" title={value}>
            {value.length > 96 ? `${value.slice(0, 96)}…` : value}
          </Text>
          <CopyButton text={value} what={name} iconOnly kind="quiet" />
        </Row>
      )
  }
}

/** Shows the phases of a transaction and the cost of each. */
export function Phases({ transaction }: { transaction: TransactionView }) {
  const { phases, fees, outMessages } = transaction
  const { storage, credit, compute, action, bounce } = phases
  const carried = outMessages.reduce((sum, { forwardFee }) => sum + BigInt(forwardFee), 0n)
  return (
    <Stack gap="none" role="region" aria-label="Phases and fees">
      <Section title="Total">
        <KeyValues
          values={{
            'Fees without forward fee': amount(String(BigInt(fees) - carried)),
            'Forward fees in messages': carried === 0n ? null : amount(String(carried)),
            'Paid by the account': carried === 0n ? null : amount(fees),
          }}
        />
        {carried > 0n && (
          <Hint>
            The account pays the forward fees of the messages that it sends. Validators get one part
            here, as action fees, which the total fees contain. The other part travels in the
            messages, and the validators of the next block get it. The value flow counts both.
          </Hint>
        )}
      </Section>
      <Phase
        title="Storage"
        detail="Collects the fee for storing the account on the chain."
        values={
          storage && {
            Collected: amount(storage.collected),
            'Still due': amount(storage.due),
            'Account state': describeChange(storage.statusChange),
          }
        }
      />
      <Phase
        title="Credit"
        detail="Adds the value of the message to the account’s balance."
        values={
          credit && {
            Credited: amount(credit.credit),
            'Debt collected': amount(credit.collected === '0' ? null : credit.collected),
          }
        }
      />
      <Phase
        title="Compute"
        detail="Runs the contract’s code."
        tag={
          compute &&
          (compute.skipped === null ? (
            <Outcome success={compute.success !== false} />
          ) : (
            <Tag tone="warn">skipped</Tag>
          ))
        }
        values={
          compute && {
            Skipped: compute.skipped,
            'Exit code':
              compute.exitCode === null ? null : describeCode(compute.exitCode, compute.exitWords),
            'Gas used': number(compute.gasUsed),
            'Gas fees': amount(compute.gasFees),
            'VM steps': number(compute.steps),
          }
        }
      />
      <Phase
        title="Action"
        detail="Performs the contract’s actions, such as sending messages."
        tag={action && <Outcome success={action.success} />}
        values={
          action && {
            'Result code': describeCode(action.resultCode, action.resultWords),
            Actions: formatNumber(action.totalActions),
            Skipped: number(action.skippedActions === 0 ? null : action.skippedActions),
            'Forward fees': amount(action.forwardFees),
            'Action fees': amount(action.totalFees),
          }
        }
      />
      {bounce !== null && (
        <Phase
          title="Bounce"
          detail="Returns a message that the contract could not process."
          values={{ Outcome: bounce }}
        />
      )}
    </Stack>
  )
}

const amount = (units: string | null) => (units === null ? null : <Amount units={units} />)
const number = (value: string | number | null) => (value === null ? null : formatNumber(value))

function Phase({
  title,
  detail,
  tag,
  values,
}: {
  title: string
  detail: string
  tag?: ReactNode
  /** The values of a phase; null if the transaction did not reach it. */
  values: Readonly<Record<string, ReactNode>> | null
}) {
  return (
    <Section
      title={title}
      aria-label={`${title} phase`}
      actions={
        <>
          {values === null ? <Tag>skipped</Tag> : tag}
          <Small tone="faint">{detail}</Small>
        </>
      }
    >
      {values !== null && <KeyValues values={values} />}
    </Section>
  )
}

const Outcome = ({ success }: { success: boolean }) =>
  success ? <Tag tone="ok">success</Tag> : <Tag tone="bad">failed</Tag>
