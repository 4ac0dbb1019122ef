import type { ReactNode } from 'react'
import type { CaptureMeaning } from '../../../../src-preload/contract/meaning.ts'
import type { Network } from '../../../../src-preload/contract/network.ts'
import { formatUtc, fromMs } from '../../../ui/format.ts'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { KeyValues } from '../../../ui/kv.tsx'
import { Tag } from '../../../ui/tag.tsx'
import text from '../../../ui/text.module.css'
import { AccountLink } from '../../../components/chain/account-link.tsx'
import { Amount } from '../../../components/chain/amount.tsx'
import { transactionHref } from '../../../components/chain/chain-links.ts'
import { HashText, LtText } from '../../../components/chain/hash-text.tsx'
import { OpcodeTag } from '../../../components/chain/opcode-tag.tsx'
import { NetworkTag } from '../../../components/network-tag.tsx'
import { describeCode } from '../../../components/chain/opcode-tag.tsx'
import { UntrustedText } from '../../../components/body/untrusted-text.tsx'
import { setNetworkByHand } from './network-by-hand.ts'
import { NetworkMenu } from './network-menu.tsx'
import styles from './meaning.module.css'

/** What its transaction moved, who took part, and how it ended. */
export function MeaningFacts({
  meaning,
  network,
  onReload,
}: {
  meaning: CaptureMeaning
  network: Network
  onReload: () => void
}) {
  const { facts, account, sender, recipient, transaction: answer, networkWhy, capture } = meaning
  const transaction = answer?.transaction ?? null
  return (
    <KeyValues
      className={styles['facts']}
      pairs={[
        ['Amount', amountOf(meaning)],
        ['From', sender === null ? null : <AccountLink key="from" account={sender} />],
        ['To', recipient === null ? null : <AccountLink key="to" account={recipient} />],
        [
          'Account',
          account === null ||
          account.address === sender?.address ||
          account.address === recipient?.address ? null : (
            <AccountLink key="account" account={account} />
          ),
        ],
        ['Comment', commentOf(facts.comment)],
        [
          'Opcode',
          facts.opcode === null ? null : (
            <OpcodeTag
              key="opcode"
              operation={transaction?.inMessage?.operation ?? null}
              opcode={facts.opcode}
            />
          ),
        ],
        ['Result', resultOf(meaning)],
        ['Fees', transaction === null ? null : <Amount key="fees" units={transaction.fees} />],
        [
          'Transaction',
          transaction === null ? null : (
            <HashText
              key="hash"
              hash={transaction.hash}
              href={transactionHref(transaction.hash, network.id)}
              what="Transaction hash"
            />
          ),
        ],
        ['Logical time', transaction === null ? null : <LtText key="lt" lt={transaction.lt} />],
        [
          'Block time',
          transaction === null ? null : formatUtc(fromMs(transaction.at)).replace('.000000Z', 'Z'),
        ],
        [
          'Network',
          <span key="network" className={styles['network']}>
            <NetworkTag id={network.id} />
            {networkWhy !== null && <span className={text['faint']}>{networkWhy}</span>}
            <NetworkMenu
              label="Change"
              current={network.id}
              onChoose={(id) => void setNetworkByHand([capture], id).then(onReload)}
            />
          </span>,
        ],
        [
          'Known',
          answer === null
            ? null
            : answer.offline === null
              ? `since ${formatUtc(fromMs(answer.fetchedAt)).replace(/\.\d+Z$/, 'Z')}, kept on this computer`
              : 'from this computer’s store',
        ],
      ]}
    />
  )
}

function amountOf({ facts: { amount }, invoice }: CaptureMeaning): ReactNode {
  if (amount === null) return null
  const isOut = amount.direction === 'out' && /[1-9]/.test(amount.units)
  // An invoice's delivery names what it asks for: that has come only once it is paid.
  const isIncome = invoice?.relation !== 'told' || invoice.told?.status === 'paid'
  const units = isOut ? `-${amount.units}` : amount.units
  return <Amount units={units} asset={amount.asset} signed={isIncome} />
}

function commentOf(comment: string | null): ReactNode {
  if (comment === null) return null
  return (
    <span className={styles['comment']}>
      <span>
        <UntrustedText text={comment} />
      </span>
      <CopyButton text={comment} what="Comment" iconOnly kind="quiet" />
    </span>
  )
}

function resultOf({ facts: { success, exitCode }, transaction }: CaptureMeaning): ReactNode {
  if (success === null && exitCode === null) return null
  const phases = transaction?.transaction.phases
  const words =
    exitCode === null
      ? null
      : exitCode === phases?.compute?.exitCode
        ? phases.compute.exitWords
        : exitCode === phases?.action?.resultCode
          ? phases.action.resultWords
          : null
  const skipped = phases?.compute?.skipped ?? null
  return (
    <>
      {success !== null && <Tag tone={success ? 'ok' : 'bad'}>{success ? 'done' : 'failed'}</Tag>}{' '}
      {exitCode !== null && <>exit code {describeCode(exitCode, words)}</>}
      {exitCode === null && skipped !== null && <>not computed: {skipped}</>}
    </>
  )
}
