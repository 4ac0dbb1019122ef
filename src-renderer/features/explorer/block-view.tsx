import { useMemo } from 'react'
import type { BlockView as Block } from '../../../src-preload/contract/chain.ts'
import { navigate } from '../../app/route.ts'
import { formatUnits } from '../../components/amount.ts'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { blockHref, transactionHref } from '../../components/chain/chain-links.ts'
import { HashText, LtText } from '../../components/chain/chain-text.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { CopyButton } from '../../ui/toast.tsx'
import { type DataColumn, DataList } from '../../ui/data-list.tsx'
import { EmptyState } from '../../ui/loaded.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { KeyValues, Moment, Tag, Text, Pane, Row, Stack } from '../../ui/layout.tsx'
import { createFixedSource } from '../../ui/row-source.ts'
import { ChainLoaded, UnreadTransactions, useChainData } from './chain-data.tsx'

/** One block of a shard and its transactions. */
export function BlockView({ id }: { id: string }) {
  const network = useShownNetwork().id
  return (
    <ChainLoaded query={useChainData('block.get', { network, id })} of="the block">
      {(block) => <Content block={block} />}
    </ChainLoaded>
  )
}

function Content({ block }: { block: Block }) {
  const { id: network } = useShownNetwork()
  const { id, transactions, previous, transactionCount } = block
  const list = useMemo(() => createFixedSource(transactions, ({ hash }) => hash), [transactions])
  return (
    <Pane>
      <Row as="header" wrap pad="m" line="below">
        <Text as="h2" size="m" over="cut">
          Block <Text mono>{id}</Text>
        </Text>
        <Tag>{block.workchain === -1 ? 'masterchain' : `workchain ${block.workchain}`}</Tag>
        <Text tone="dim" size="s" over="nowrap">
          <Moment at={fromMs(block.at)} />
        </Text>
        <Row last>
          <CopyButton text={id} what="Block id" />
        </Row>
      </Row>
      <Stack pad="m" line="below">
        <KeyValues
          pairs={[
            ['Number', formatNumber(block.seqno)],
            ['Shard', <Text mono>{block.shard}</Text>],
            ['Root hash', <HashText hash={block.rootHash} what="Root hash" />],
            [
              'Previous',
              previous.length === 0 ? (
                'none'
              ) : (
                <Stack gap="xs">
                  {previous.map((each) => (
                    <HashText
                      key={each}
                      hash={each}
                      href={blockHref(each, network)}
                      what="Block id"
                      whole
                    />
                  ))}
                </Stack>
              ),
            ],
            ['Transactions', formatNumber(transactionCount)],
          ]}
        />
      </Stack>
      <UnreadTransactions unread={block.unread} />
      <DataList
        list={list}
        columns={columnsOn(network)}
        of="transactions"
        thing="transaction"
        group="Block"
        openId={null}
        onOpen={({ hash }) => navigate({ page: 'transactions', network, view: 'tx', hash })}
        empty={
          <EmptyState
            title="No transactions"
            detail={
              transactionCount === 0
                ? 'This block is empty.'
                : `The gateway reports ${formatCount(transactionCount, 'transaction')}, but sent none.`
            }
          />
        }
      />
    </Pane>
  )
}

function columnsOn(network: string): DataColumn<Block['transactions'][number]>[] {
  return [
    {
      name: 'Transaction',
      width: 180,
      cell: ({ hash }) => (
        <HashText hash={hash} href={transactionHref(hash, network)} what="Transaction hash" />
      ),
    },
    {
      name: 'Account',
      width: 120,
      grow: 1,
      cell: ({ account }) => <AccountLink account={account} />,
    },
    { name: 'Logical time', width: 170, gives: 1, cell: ({ lt }) => <LtText lt={lt} /> },
    {
      name: 'Outcome',
      width: 60,
      hideName: true,
      cell: ({ success, failure }) =>
        !success && (
          <Tag tone="bad" title={failure ?? undefined}>
            failed
          </Tag>
        ),
    },
    { name: 'Fees, TON', width: 100, look: 'amount', cell: ({ fees }) => formatUnits(fees, 9) },
  ]
}
