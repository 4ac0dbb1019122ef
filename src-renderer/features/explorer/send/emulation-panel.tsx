import type { Emulation } from '../../../../src-preload/contract/message.ts'
import { formatCount } from '../../../ui/format.ts'
import { Icon } from '../../../ui/icons.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import pane from '../../../ui/pane.module.css'
import { Tag } from '../../../ui/tag.tsx'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { Amount } from '../../../components/chain/amount.tsx'
import { HashText } from '../../../components/chain/hash-text.tsx'
import { SentenceView } from '../../../components/chain/sentence-view.tsx'
import { ListSplitter } from '../../../components/list-splitter.tsx'
import { MessageTree } from '../../../components/trace/message-tree.tsx'
import { ValueFlowTable } from '../../../components/trace/value-flow.tsx'
import { ValidUntil } from './valid-until.tsx'
import styles from './send.module.css'

/** What would happen: sentence, warnings, tree, flow, risk. */
export function EmulationPanel({
  emulation,
  isStale,
}: {
  emulation: Emulation
  /** The text was changed since. */
  isStale: boolean
}) {
  const { trace, warnings } = emulation
  return (
    <section className={styles['emulation']} aria-label="Emulation">
      <div>
        <div className={styles['head']}>
          <Tag tone="warn" title="Nothing was sent.">
            emulated
          </Tag>
          <div className={styles['says']}>
            <SentenceView parts={trace.sentence} />
          </div>
          {isStale && <Tag tone="bad">of the text before: emulate again</Tag>}
        </div>
        {warnings.length > 0 && (
          <ul className={styles['warnings']} aria-label="Warnings">
            {warnings.map((warning) => (
              <li key={warning}>
                <Icon name="warning" size={14} />
                {warning}
              </li>
            ))}
          </ul>
        )}
      </div>
      <ListSplitter
        left={<MessageTree key={emulation.messageHash} trace={trace} here={null} />}
        right={<Facts emulation={emulation} />}
      />
    </section>
  )
}

function Facts({ emulation }: { emulation: Emulation }) {
  const { trace, validUntil, destination, messageHash } = emulation
  return (
    <div className={pane['facts']} tabIndex={0} role="region" aria-label="Consequences">
      <section className={pane['section']}>
        <h3>Value flow</h3>
        <ValueFlowTable flow={trace.flow} />
      </section>
      <section className={pane['section']}>
        <h3>At risk</h3>
        <Risk risk={emulation.risk} />
      </section>
      <section className={pane['section']}>
        <h3>Message</h3>
        <KeyValues
          pairs={[
            ['To', <AccountLink key="t" account={destination} />],
            ['Hash', <HashText key="h" hash={messageHash} what="Message hash" />],
            [
              'Valid until',
              validUntil === null ? 'it does not say' : <ValidUntil key="v" at={validUntil} />,
            ],
          ]}
        />
      </section>
    </div>
  )
}

/** The most that could be lost if it went otherwise than emulated. */
function Risk({ risk }: { risk: Emulation['risk'] }) {
  if (risk === null) {
    return (
      <p className={styles['none']}>The gateway could not judge it: this is no wallet it knows.</p>
    )
  }
  return (
    <KeyValues
      pairs={[
        ['All of it', risk.transfersAll ? <Tag tone="bad">it sends the whole balance</Tag> : 'no'],
        ['TON', <Amount key="t" units={risk.ton} />],
        [
          'Jettons',
          risk.jettons.length === 0
            ? null
            : risk.jettons.map(({ asset, units }) => (
                <div key={asset.jetton ?? asset.symbol}>
                  <Amount units={units} asset={asset} />
                </div>
              )),
        ],
        ['NFTs', risk.nftCount === 0 ? null : formatCount(risk.nftCount, 'item')],
      ]}
    />
  )
}
