//! Uploads and downloads, if bandwidth is limited.

use super::links::queue_up;
use super::message::MessageId;
use super::{Conditions, Transit};
use crate::network::{Bandwidth, InFlight, Sharing};
use crate::timeline::context::Context;
use crate::timeline::event::Event;
use crate::timeline::step::Loss;
use crate::units::{BitRate, Duration, NodeId, VirtualTime};

impl Transit {
    /// The upload of a message begins, or the message queues up for it.
    pub(super) fn upload(&mut self, ctx: &mut Context, met: Conditions, id: MessageId, upload: BitRate, sharing: Sharing, delay: Duration) {
        let from = self.messages.get(id).from;
        match sharing {
            Sharing::FirstCome => {
                let out = self.queue_for_upload(ctx, from, upload);
                self.note_transfer(id, ctx.now, out);
                self.travel(ctx, met, id, out, delay);
            }
            Sharing::Fair => self.begin_upload(ctx, from, Some(id), upload),
        }
    }

    /// Uploads a message that the network will lose: it takes its part of the upload all the same.
    pub(super) fn upload_in_vain(&mut self, ctx: &mut Context, from: NodeId) {
        match ctx.plan.bandwidth {
            Bandwidth::Unlimited => {}
            Bandwidth::Limited { upload, sharing: Sharing::FirstCome, .. } => _ = self.queue_for_upload(ctx, from, upload),
            Bandwidth::Limited { upload, sharing: Sharing::Fair, .. } => self.begin_upload(ctx, from, None, upload),
        }
    }

    /// The download of a message begins, or the message queues up for it.
    pub(super) fn download(&mut self, ctx: &mut Context, id: MessageId, download: BitRate, sharing: Sharing) {
        let message = *self.messages.get(id);
        let download = speed(ctx, message.to, download);
        match sharing {
            Sharing::FirstCome => {
                let time = download.time_for(ctx.plan.message_bytes);
                let done = queue_up(&mut self.links.download_free[message.to.idx()], ctx.now, time);
                self.note_transfer(id, ctx.now, done);
                ctx.schedule(Event::Delivery(id), done, message.from.0, message.counter());
            }
            Sharing::Fair => {
                let shared = &mut self.links.downloads[message.to.idx()];
                shared.begin(ctx.now, Some(id), ctx.plan.message_bytes, download.bytes_per_ns());
                self.schedule_download_end(ctx, message.to, download);
            }
        }
    }

    /// The next upload that shares the connection of `node` is complete.
    pub fn end_uploads(&mut self, ctx: &mut Context, met: Conditions, node: NodeId) {
        let Bandwidth::Limited { upload, .. } = ctx.plan.bandwidth else { unreachable!("transfers take no time") };
        let upload = speed(ctx, node, upload);
        for transfer in self.links.uploads[node.idx()].end(ctx.now, upload.bytes_per_ns()) {
            if let Some(id) = transfer.message {
                self.note_transfer(id, transfer.begun, ctx.now);
                let delay = self.delay(ctx, met, id);
                self.travel(ctx, met, id, ctx.now, delay);
            }
        }
        self.schedule_upload_end(ctx, node, upload);
    }

    /// The next download that shares the connection of `node` is complete.
    pub fn end_downloads(&mut self, ctx: &mut Context, met: Conditions, node: NodeId) {
        let Bandwidth::Limited { download, .. } = ctx.plan.bandwidth else { unreachable!("transfers take no time") };
        let download = speed(ctx, node, download);
        for transfer in self.links.downloads[node.idx()].end(ctx.now, download.bytes_per_ns()) {
            let id = transfer.message.expect("a lost message is not downloaded");
            self.note_transfer(id, transfer.begun, ctx.now);
            self.arrive(ctx, met, id);
        }
        self.schedule_download_end(ctx, node, download);
    }

    /// `node` went offline. If absent senders cut their messages off, its unfinished uploads are lost.
    pub fn break_off_uploads(&mut self, ctx: &mut Context, node: NodeId) {
        let Bandwidth::Limited { sharing, .. } = ctx.plan.bandwidth else { return };
        match (ctx.plan.absence.in_flight, sharing) {
            (InFlight::Delivered, Sharing::FirstCome | Sharing::Fair) => {}
            // The arrivals of queued messages are already scheduled. These messages are found to be cut off when they arrive.
            (InFlight::Cut, Sharing::FirstCome) => self.links.upload_free[node.idx()] = ctx.now,
            (InFlight::Cut, Sharing::Fair) => {
                ctx.cancel(Event::Uploaded(node));
                for transfer in self.links.uploads[node.idx()].break_off() {
                    transfer.message.into_iter().for_each(|id| self.lose(ctx, id, Loss::Cut));
                }
            }
        }
    }

    fn queue_for_upload(&mut self, ctx: &Context, from: NodeId, upload: BitRate) -> VirtualTime {
        let time = speed(ctx, from, upload).time_for(ctx.plan.message_bytes);
        queue_up(&mut self.links.upload_free[from.idx()], ctx.now, time)
    }

    fn begin_upload(&mut self, ctx: &mut Context, from: NodeId, message: Option<MessageId>, upload: BitRate) {
        let upload = speed(ctx, from, upload);
        self.links.uploads[from.idx()].begin(ctx.now, message, ctx.plan.message_bytes, upload.bytes_per_ns());
        self.schedule_upload_end(ctx, from, upload);
    }

    fn schedule_upload_end(&mut self, ctx: &mut Context, node: NodeId, upload: BitRate) {
        ctx.cancel(Event::Uploaded(node));
        if let Some(at) = self.links.uploads[node.idx()].next_end(upload.bytes_per_ns()) {
            ctx.schedule(Event::Uploaded(node), at, node.0, u64::MAX);
        }
    }

    fn schedule_download_end(&mut self, ctx: &mut Context, node: NodeId, download: BitRate) {
        ctx.cancel(Event::Downloaded(node));
        if let Some(at) = self.links.downloads[node.idx()].next_end(download.bytes_per_ns()) {
            ctx.schedule(Event::Downloaded(node), at, node.0, u64::MAX - 1);
        }
    }

    fn note_transfer(&mut self, id: MessageId, from: VirtualTime, to: VirtualTime) {
        self.messages.get_mut(id).transfer_ns += to.0 - from.0;
    }
}

/// The speed of `node`, if the median node has `rate`.
fn speed(ctx: &Context, node: NodeId, rate: BitRate) -> BitRate {
    ctx.plan.bandwidth.at(ctx.plan.seed, node, rate)
}
