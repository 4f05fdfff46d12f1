import { notFound } from '../http/api-error.ts';
import { pageSize } from '../http/paginate.ts';
import { type AppCall, number, ok, type Reply, type Route } from '../http/route.ts';
import type { Delivery } from '../webhooks/delivery.ts';

export const hookRoutes: readonly Route[] = [
  {
    route: 'GET /app/hook/config',
    access: 'app',
    handle: ({ app }) => {
      const url = app.webhookUrl === null ? {} : { url: app.webhookUrl };
      return ok({ content_type: 'json', insecure_ssl: '0', secret: '********', ...url });
    },
  },
  { route: 'GET /app/hook/deliveries', access: 'app', handle: listDeliveries },
  {
    route: 'GET /app/hook/deliveries/{delivery_id}',
    access: 'app',
    handle: call => ok(presentDelivery(deliveryOf(call))),
  },
  {
    route: 'POST /app/hook/deliveries/{delivery_id}/attempts',
    access: 'app',
    handle: call => {
      call.core.webhooks.redeliver(deliveryOf(call).id);
      return ok({}, 202);
    },
  },
];

/** Newest first; the cursor is the id of the last one seen. Of the last three days, as GitHub keeps them. */
function listDeliveries(call: AppCall): Reply {
  const { clock } = call.core.world;
  const { status, cursor } = call.parameters;
  const all = deliveriesOf(call)
    .filter(each => clock.now() - each.deliveredAt < THREE_DAYS)
    .filter(each => status === undefined || isSuccess(each) === (status === 'success'))
    .reverse();
  const start = cursor === undefined ? 0 : all.findIndex(each => String(each.id) === cursor) + 1;
  const page = all.slice(start, start + pageSize(call));
  const last = page.at(-1);
  const more = last !== undefined && start + page.length < all.length;
  const next = new URL(call.url);
  if (more) next.searchParams.set('cursor', String(last.id));
  return {
    status: 200,
    body: page.map(presentItem),
    headers: more ? { link: `<${next.href}>; rel="next"` } : {},
  };
}

const THREE_DAYS = 3 * 86_400_000;

function deliveriesOf({ app, core }: AppCall): Delivery[] {
  const tried = ({ state }: Delivery): boolean => state === 'done' || state === 'dropped';
  return core.webhooks.deliveries.filter(each => each.app === app && tried(each));
}

function deliveryOf(call: AppCall): Delivery {
  const found = deliveriesOf(call).find(each => each.id === number(call, 'delivery_id'));
  if (found === undefined) throw notFound();
  return found;
}

function isSuccess({ statusCode }: Delivery): boolean {
  return statusCode >= 200 && statusCode < 400;
}

function presentItem(delivery: Delivery): Record<string, unknown> {
  return {
    id: delivery.id,
    guid: delivery.guid,
    delivered_at: new Date(delivery.deliveredAt).toISOString(),
    redelivery: delivery.redelivery,
    duration: delivery.duration,
    status: delivery.status,
    status_code: delivery.statusCode,
    event: delivery.event,
    action: delivery.action,
    installation_id: delivery.installationId,
    repository_id: delivery.repositoryId,
    throttled_at: null,
  };
}

function presentDelivery(delivery: Delivery): Record<string, unknown> {
  return {
    ...presentItem(delivery),
    url: delivery.app.webhookUrl ?? '',
    request: { headers: delivery.requestHeaders, payload: delivery.payload },
    response: { headers: delivery.responseHeaders, payload: delivery.responseBody },
  };
}
