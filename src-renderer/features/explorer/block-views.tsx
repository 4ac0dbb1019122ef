import { useEffect, useMemo, useRef, useState } from 'react'
import type { BlockRow, BlockView as Block } from '../../../src-preload/contract/chain/block.ts'
import { coinName } from '../../../src-preload/domain/amount.ts'
import { reload, usePages } from '../../app/bridge.ts'
import { navigate } from '../../app/route.ts'
import { formatUnits } from '../../components/amount.ts'
import { AccountLink } from '../../components/chain/account-link.tsx'
import { blockHref } from '../../components/chain/chain-links.ts'
import { Amount, HashText, LtText, TransactionHash } from '../../components/chain/chain-text.tsx'
import { ListSplitter } from '../../components/list-splitter.tsx'
import { useShownNetwork } from '../../components/network-tag.tsx'
import { IconButton } from '../../ui/button.tsx'
import { type DataColumn, DataList } from '../../ui/data-list.tsx'
import { formatCount, formatNumber, fromMs } from '../../ui/format.ts'
import { shortcutsOf, useShortcuts } from '../../ui/keyboard.ts'
import { Hint, Pane, Row, Section, Stack, Tag, Text, Small } from '../../ui/layout.tsx'
import { Moment } from '../../ui/time.tsx'
import { KeyValues } from '../../ui/values.tsx'
import { EmptyState, MoreButton } from '../../ui/loaded.tsx'
import { createFixedSource, createRowSource } from '../../ui/row-source.ts'
import { CopyButton } from '../../ui/toast.tsx'
import { ChainLoaded, UnreadTransactions, useChainData, useChainTick } from './chain-data.tsx'

/**
 * Shows the latest blocks. On the sandbox they are live. Elsewhere they are loaded on request,
 * because each block costs a request.
 */
export function LatestBlocks() {
  const { id: network, kind } = useShownNetwork()
  const query = usePages(
    'block.latest',
    (before: number | null) => ({ network, before }),
    ({ older }) => older,
  )
  const refresh = () => reload('block.latest', { network })
  const wasKnown = useRef(query.data !== undefined)
  useEffect(() => {
    if (wasKnown.current) reload('block.latest')
  }, [])
  useChainTick(() => kind === 'sandbox' && refresh())
  useShortcuts([{ keys: ['r'], label: 'Reload from the gateway', group: 'Blocks', run: refresh }])
  const [list] = useState(() => createRowSource<BlockRow>({ idOf: ({ id }) => id }))
  const pages = query.data?.pages
  useEffect(() => {
    if (pages === undefined) return
    // A new block moves the later ones to the next page, so one block may be part of two pages.
    const blocks = pages.flatMap((page) => page.blocks)
    list.set([...new Map(blocks.map((each) => [each.id, each])).values()])
  }, [list, pages])
  return (
    <ChainLoaded query={query} of="the blocks">
      {({ pages: loaded }) => (
        <Pane>
          <Row as="header" wrap pad="m" line="below">
            <Text as="h2" size="m" over="nowrap">
              Latest blocks
            </Text>
            <Small>
              {kind === 'sandbox' ? 'New blocks appear at once.' : 'Reload to see new blocks.'}
              {!loaded.every(({ hasShards }) => hasShards) &&
                ' The gateway lists masterchain blocks only.'}
            </Small>
            <Row last>
              <IconButton icon="refresh" label="Reload from the gateway" onClick={refresh} />
            </Row>
          </Row>
          <DataList
            list={list}
            columns={blockColumns}
            of="blocks"
            thing="block"
            group="Blocks"
            openId={null}
            onOpen={({ id }) => navigate({ page: 'explorer', network, view: 'block', id })}
            empty={<EmptyState title="No blocks" detail="The gateway returned no block." />}
            foot={
              query.hasNextPage && (
                <Row pad="m">
                  <MoreButton query={query}>Show older blocks</MoreButton>
                </Row>
              )
            }
          />
        </Pane>
      )}
    </ChainLoaded>
  )
}

export const describeChain = (workchain: number): string =>
  workchain === -1 ? 'masterchain' : `workchain ${workchain}`

const blockColumns: DataColumn<BlockRow>[] = [
  {
    name: 'Time',
    width: 140,
    look: 'dim',
    cell: ({ at }) => <Moment at={fromMs(at)} absolute="second" />,
  },
  {
    name: 'Chain',
    width: 100,
    cell: ({ workchain }) => describeChain(workchain),
  },
  { name: 'Number', width: 100, look: 'number', cell: ({ seqno }) => formatNumber(seqno) },
  { name: 'Shard', width: 150, gives: 1, look: 'mono', cell: ({ shard }) => shard },
  {
    name: 'Transactions',
    width: 100,
    look: 'number',
    cell: ({ transactionCount }) =>
      transactionCount === null ? '' : formatNumber(transactionCount),
  },
  {
    name: 'Kind',
    width: 80,
    grow: 1,
    hideName: true,
    cell: ({ isKeyBlock }) => isKeyBlock && <Tag>key block</Tag>,
  },
]

/** Shows one block of a shard: the blocks that it refers to, its value flow and its transactions. */
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
  const { id, transactions, next, transactionCount, shards } = block
  const list = useMemo(() => createFixedSource(transactions, ({ hash }) => hash), [transactions])
  const key = shortcutsOf('Block')
  const open = (to: string | undefined) => {
    if (to !== undefined) navigate({ page: 'explorer', network, view: 'block', id: to })
  }
  useShortcuts([
    key(['p'], 'Previous block', () => open(block.previous[0])),
    key(['n'], 'Next block', () => open(next[0])),
  ])
  return (
    <Pane>
      <Row as="header" wrap pad="m" line="below">
        <Text as="h2" size="m" over="cut">
          Block <Text mono>{id}</Text>
        </Text>
        <Tag>{describeChain(block.workchain)}</Tag>
        {block.isKeyBlock && (
          <Tag title="A key block contains the configuration of the network.">key block</Tag>
        )}
        <Small over="nowrap">
          <Moment at={fromMs(block.at)} />
        </Small>
        <Row last>
          <CopyButton text={id} what="Block id" />
        </Row>
      </Row>
      <ListSplitter
        left={
          <Pane>
            <UnreadTransactions unread={block.unread} />
            <DataList
              list={list}
              columns={columnsOn(network)}
              of="transactions"
              thing="transaction"
              group="Block"
              openId={null}
              onOpen={({ hash }) => navigate({ page: 'explorer', network, view: 'tx', hash })}
              empty={
                <EmptyState
                  title="No transactions"
                  detail={
                    transactionCount === 0
                      ? 'This block is empty.'
                      : `The gateway reports ${formatCount(transactionCount, 'transaction')} in this block, but returned none.`
                  }
                />
              }
            />
          </Pane>
        }
        right={
          <Stack fill scroll gap="none" tabIndex={0} role="region" aria-label="Block details">
            <Facts block={block} />
            {block.workchain === -1 && (
              <Section title="Shards">
                {shards === null || shards.length === 0 ? (
                  <Hint>The gateway does not report the shards of this block.</Hint>
                ) : (
                  <BlockIds ids={shards.map((shard) => shard.id)} />
                )}
              </Section>
            )}
            <Section title="Value flow">
              {block.flow.length === 0 ? (
                <Hint>The gateway reports no value flow of this block.</Hint>
              ) : (
                <KeyValues
                  pairs={block.flow.map(({ name, units }) => [name, <Amount units={units} />])}
                />
              )}
            </Section>
          </Stack>
        }
      />
    </Pane>
  )
}

function Facts({ block }: { block: Block }) {
  const { previous, next, masterReference, previousKeyBlock } = block
  const known = (count: number | null) => (count === null ? 'not reported' : formatNumber(count))
  return (
    <Section title="Details">
      <KeyValues
        values={{
          Number: formatNumber(block.seqno),
          Shard: <Text mono>{block.shard}</Text>,
          Transactions: formatNumber(block.transactionCount),
          'Incoming messages': known(block.inMessages),
          'Outgoing messages': known(block.outMessages),
          Previous: previous.length === 0 ? 'none' : <BlockIds ids={previous} />,
          Next: <BlockIds ids={next} />,
          'Masterchain reference': masterReference && <BlockIds ids={[masterReference]} />,
          'Previous key block': previousKeyBlock && <BlockIds ids={[previousKeyBlock]} />,
          'First logical time': block.startLt && <LtText lt={block.startLt} />,
          'Last logical time': block.endLt && <LtText lt={block.endLt} />,
          'Root hash': <HashText hash={block.rootHash} what="Root hash" />,
          'File hash': block.fileHash && <HashText hash={block.fileHash} what="File hash" />,
        }}
      />
    </Section>
  )
}

function BlockIds({ ids }: { ids: readonly string[] }) {
  const { id: network } = useShownNetwork()
  return (
    <Stack gap="xs">
      {ids.map((each) => (
        <HashText key={each} hash={each} href={blockHref(each, network)} what="Block id" whole />
      ))}
    </Stack>
  )
}

function columnsOn(network: string): DataColumn<Block['transactions'][number]>[] {
  return [
    {
      name: 'Transaction',
      width: 180,
      cell: ({ hash }) => <TransactionHash hash={hash} network={network} />,
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
    {
      id: 'Fees, TON',
      name: `Fees, ${coinName()}`,
      width: 100,
      look: 'amount',
      cell: ({ fees }) => formatUnits(fees, 9),
    },
  ]
}
