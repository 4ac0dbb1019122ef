import { useState } from 'react'
import type {
  DecodedField,
  MessageView,
  TransactionView,
} from '../../../../src-preload/contract/chain.ts'
import { formatNumber, fromMs } from '../../../ui/format.ts'
import { Moment } from '../../../ui/moment.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { Amount } from '../../../components/chain/amount.tsx'
import { accountHref } from '../../../components/chain/chain-links.ts'
import { HashText, LtText } from '../../../components/chain/hash-text.tsx'
import { useShownNetwork } from '../../../components/chain/of-network.tsx'
import { OpcodeTag } from '../../../components/chain/opcode-tag.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { BocView } from '../cells/boc-view.tsx'
import styles from './transaction.module.css'

/** Shown at once; a transaction may send 255. */
const few = 20

/** What came in and what went out, with their bodies decoded where they are known. */
export function MessagesTab({ transaction }: { transaction: TransactionView }) {
  const [all, setAll] = useState(false)
  const { inMessage, outMessages } = transaction
  if (inMessage === null && outMessages.length === 0) {
    return (
      <EmptyState
        title="It has no messages"
        detail="The network itself ran it, or its storage fee alone was taken."
      />
    )
  }
  const shown = all ? outMessages : outMessages.slice(0, few)
  return (
    <div className={pane['facts']} tabIndex={0} role="region" aria-label="Messages">
      {inMessage !== null && <Message title="In" message={inMessage} />}
      {shown.map((message, index) => (
        <Message
          key={message.hash}
          title={outMessages.length === 1 ? 'Out' : `Out ${index + 1} of ${outMessages.length}`}
          message={message}
        />
      ))}
      {shown.length < outMessages.length && (
        <p className={pane['section']}>
          <Button onClick={() => setAll(true)}>Show all {outMessages.length} messages</Button>
        </p>
      )}
    </div>
  )
}

const types: Record<MessageView['type'], string> = {
  internal: 'internal',
  external_in: 'external, from outside',
  external_out: 'external, to outside',
}

function Message({ title, message }: { title: string; message: MessageView }) {
  const [raw, setRaw] = useState(false)
  const { source, destination, body } = message
  const isInternal = message.type === 'internal'
  return (
    <section className={pane['section']} aria-label={`Message: ${title}`}>
      <div className={styles['messageHead']}>
        <h3>{title}</h3>
        <OpcodeTag operation={message.operation} opcode={message.opcode} />
        {message.bounced && <Tag tone="warn">bounced</Tag>}
        {isInternal && <Amount units={message.value} />}
        {message.extra.map(({ asset, units }) => (
          <Amount key={asset.extraCurrency} units={units} asset={asset} />
        ))}
      </div>
      <KeyValues
        pairs={[
          ['From', source === null ? 'outside of the chain' : <AccountLink account={source} />],
          [
            'To',
            destination === null ? 'outside of the chain' : <AccountLink account={destination} />,
          ],
          [
            'Comment',
            message.comment === null ? null : (
              <span className={styles['comment']}>
                <UntrustedText text={message.comment} />
              </span>
            ),
          ],
          ['Kind', types[message.type]],
          ['Hash', <HashText key="h" hash={message.hash} what="Message hash" />],
          [
            'Opcode',
            message.opcode === null ? null : <span className={text['mono']}>{message.opcode}</span>,
          ],
          ['Created', isInternal ? <Created message={message} /> : null],
          [
            'Bounce',
            isInternal ? (message.bounce ? 'comes back when it cannot be taken' : 'no') : null,
          ],
          [
            'IHR fee',
            isInternal && message.ihrFee !== '0' ? (
              <>
                <Amount units={message.ihrFee} />, credited to the receiver
              </>
            ) : null,
          ],
          ['Forward fee', isInternal ? <Amount units={message.forwardFee} /> : null],
          [
            'Import fee',
            message.type === 'external_in' ? <Amount units={message.importFee} /> : null,
          ],
          ['State init', message.init === null ? null : 'it carries the code of a contract'],
        ]}
      />
      {body !== null && (
        <>
          <h4 className={styles['bodyTitle']}>
            Body: <span className={text['mono']}>{body.operation}</span>
          </h4>
          <KeyValues
            className={styles['body']}
            pairs={body.fields.map((field) => [
              field.name,
              <Field key={field.name} field={field} />,
            ])}
          />
        </>
      )}
      {message.rawBody !== null && (
        <div className={styles['rawBody']}>
          <Button
            kind="quiet"
            aria-expanded={raw}
            icon={raw ? 'down' : 'right'}
            onClick={() => setRaw(!raw)}
          >
            Raw body
          </Button>
          {raw && (
            <div className={styles['rawArea']}>
              <BocView
                boc={message.rawBody}
                what="Body"
                fileName={`body-${message.hash.slice(0, 16)}.boc`}
              />
            </div>
          )}
        </div>
      )}
    </section>
  )
}

function Created({ message }: { message: MessageView }) {
  return (
    <>
      <Moment at={fromMs(message.createdAt)} />, logical time <LtText lt={message.createdLt} />
    </>
  )
}

/** A decoded value, in the form of its kind. */
function Field({ field: { kind, value, name } }: { field: DecodedField }) {
  const { id } = useShownNetwork()
  switch (kind) {
    case 'text':
      return <UntrustedText text={value} />
    case 'ton':
      return <Amount units={value} />
    case 'number':
      return (
        <span className={text['mono']}>{/^-?\d+$/.test(value) ? formatNumber(value) : value}</span>
      )
    case 'address':
      return (
        <a className={text['mono']} href={accountHref(value, id)}>
          {value}
        </a>
      )
    case 'bytes':
    case 'cell':
      return (
        <span className={styles['bytes']}>
          <span className={text['mono']} title={value}>
            {value.length > 96 ? `${value.slice(0, 96)}…` : value}
          </span>
          <CopyButton text={value} what={name} iconOnly kind="quiet" />
        </span>
      )
  }
}
