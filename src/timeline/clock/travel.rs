//! A message's way: out of its sender's upload, through the network, and into its receiver's download.

use super::Timeline;
use crate::network::{Bandwidth, Bursts, InFlight, Sharing};
use crate::rng::Purpose;
use crate::timeline::event::Event;
use crate::timeline::links::queue_up;
use crate::timeline::post::Message;
use crate::timeline::step::{Loss, Step};
use crate::units::{BitRate, Duration, NodeId, VirtualTime};

impl Timeline {
    /// Whether the message of `from` whose draws stand at `address` is lost on its way.
    pub(super) fn is_lost(&mut self, from: NodeId, address: u64) -> bool {
        let (seed, bursts) = (self.plan.seed, self.plan.bursts);
        let probability = match bursts {
            Bursts::GilbertElliott { loss_in_bad, .. } if self.links.is_bad(seed, from, self.now, &bursts) => loss_in_bad,
            Bursts::Never | Bursts::GilbertElliott { .. } => self.plan.loss,
        } * self.faults.loss_times();
        probability > 0.0 && seed.uniform(Purpose::Loss, from.0.into(), address) < probability
    }

    /// The message leaves its sender.
    pub(super) fn depart(&mut self, place: u32) {
        let from = self.post.message(place).from;
        match self.plan.bandwidth {
            Bandwidth::Unlimited => self.travel(place, self.now),
            Bandwidth::Limited { upload, sharing: Sharing::FirstCome, .. } => {
                let time = self.speed(from, upload).time_for(self.plan.message_bytes);
                let out = queue_up(&mut self.links.upload_free[from.idx()], self.now, time);
                self.note_transfer(place, self.now, out);
                self.travel(place, out);
            }
            Bandwidth::Limited { upload, sharing: Sharing::Fair, .. } => self.begin_upload(from, Some(place), self.speed(from, upload)),
        }
    }

    /// A message that will be lost in the network has left its sender all the same.
    pub(super) fn upload_in_vain(&mut self, from: NodeId) {
        match self.plan.bandwidth {
            Bandwidth::Unlimited => {}
            Bandwidth::Limited { upload, sharing: Sharing::FirstCome, .. } => {
                let time = self.speed(from, upload).time_for(self.plan.message_bytes);
                queue_up(&mut self.links.upload_free[from.idx()], self.now, time);
            }
            Bandwidth::Limited { upload, sharing: Sharing::Fair, .. } => self.begin_upload(from, None, self.speed(from, upload)),
        }
    }

    /// Through the network, which the message enters at `out`. The network may make a second one.
    fn travel(&mut self, place: u32, out: VirtualTime) {
        self.travel_once(place, out);
        let message = self.post.message(place);
        let twice = self.plan.duplicates;
        if twice > 0.0 && self.plan.seed.uniform(Purpose::Duplicate, message.from.0.into(), message.address()) < twice {
            self.post.take_slot(Some(message.slot));
            let copy = self.post.put(Message { is_copy: true, ..message });
            self.tally.duplicated += 1;
            self.tally.in_flight += 1;
            self.travel_once(copy, out);
        }
    }

    fn travel_once(&mut self, place: u32, out: VirtualTime) {
        let message @ Message { from, to, .. } = self.post.message(place);
        let delay = self.delay(message);
        let at = self.links.in_line(from, to, out.after(delay), self.now);
        let event = if self.plan.bandwidth == Bandwidth::Unlimited { Event::Delivery(place) } else { Event::Reach(place) };
        self.put(event, at, from.0, message.counter());
    }

    fn delay(&self, message: Message) -> Duration {
        let delay = self.plan.network.latency.delay(self.plan.seed, message.from, message.to, message.address());
        let times = self.faults.delay_times();
        if times == 1.0 { delay } else { Duration::from_secs_f64(delay.secs() * times) }
    }

    /// The message is at its receiver's download, if that is there.
    pub(super) fn reach(&mut self, place: u32, steps: &mut Vec<Step>) {
        let message @ Message { from, to, .. } = self.post.message(place);
        if !self.presence.is_online(to) {
            return self.arrive(place, steps);
        }
        match self.plan.bandwidth {
            Bandwidth::Unlimited => self.arrive(place, steps),
            Bandwidth::Limited { download, sharing: Sharing::FirstCome, .. } => {
                let time = self.speed(to, download).time_for(self.plan.message_bytes);
                let done = queue_up(&mut self.links.download_free[to.idx()], self.now, time);
                self.note_transfer(place, self.now, done);
                self.put(Event::Delivery(place), done, from.0, message.counter());
            }
            Bandwidth::Limited { download, sharing: Sharing::Fair, .. } => {
                let download = self.speed(to, download);
                self.links.downloads[to.idx()].begin(self.now, Some(place), self.plan.message_bytes, download.bytes_per_ns());
                self.put_download_end(to, download);
            }
        }
    }

    pub(super) fn end_uploads(&mut self, node: NodeId) {
        let Bandwidth::Limited { upload, .. } = self.plan.bandwidth else { unreachable!("nothing is transferred") };
        let upload = self.speed(node, upload);
        for transfer in self.links.uploads[node.idx()].end(self.now, upload.bytes_per_ns()) {
            if let Some(place) = transfer.place {
                self.note_transfer(place, transfer.begun, self.now);
                self.travel(place, self.now);
            }
        }
        self.put_upload_end(node, upload);
    }

    pub(super) fn end_downloads(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        let Bandwidth::Limited { download, .. } = self.plan.bandwidth else { unreachable!("nothing is transferred") };
        let download = self.speed(node, download);
        for transfer in self.links.downloads[node.idx()].end(self.now, download.bytes_per_ns()) {
            let place = transfer.place.expect("what was lost does not come so far");
            self.note_transfer(place, transfer.begun, self.now);
            self.arrive(place, steps);
        }
        self.put_download_end(node, download);
    }

    /// `node` leaves: what it has not handed over goes with it, if messages on their way do.
    pub(super) fn break_off_uploads(&mut self, node: NodeId, steps: &mut Vec<Step>) {
        let Bandwidth::Limited { sharing, .. } = self.plan.bandwidth else { return };
        if self.plan.absence.in_flight == InFlight::Delivered {
            return;
        }
        match sharing {
            // What is in the queue is on its way by the clock, and found to be cut when it would arrive.
            Sharing::FirstCome => self.links.upload_free[node.idx()] = self.now,
            Sharing::Fair => {
                self.queue.cancel(&Event::Uploaded(node));
                for transfer in self.links.uploads[node.idx()].break_off() {
                    transfer.place.into_iter().for_each(|place| self.lose(place, Loss::Cut, steps));
                }
            }
        }
    }

    fn speed(&self, node: NodeId, rate: BitRate) -> BitRate {
        self.plan.bandwidth.at(self.plan.seed, node, rate)
    }

    fn begin_upload(&mut self, from: NodeId, place: Option<u32>, upload: BitRate) {
        self.links.uploads[from.idx()].begin(self.now, place, self.plan.message_bytes, upload.bytes_per_ns());
        self.put_upload_end(from, upload);
    }

    fn put_upload_end(&mut self, node: NodeId, upload: BitRate) {
        self.queue.cancel(&Event::Uploaded(node));
        if let Some(at) = self.links.uploads[node.idx()].next_end(upload.bytes_per_ns()) {
            self.put(Event::Uploaded(node), at, node.0, u64::MAX);
        }
    }

    fn put_download_end(&mut self, node: NodeId, download: BitRate) {
        self.queue.cancel(&Event::Downloaded(node));
        if let Some(at) = self.links.downloads[node.idx()].next_end(download.bytes_per_ns()) {
            self.put(Event::Downloaded(node), at, node.0, u64::MAX - 1);
        }
    }

    fn note_transfer(&mut self, place: u32, from: VirtualTime, to: VirtualTime) {
        let message = self.post.change(place);
        message.transfer = Duration::from_ns(message.transfer.ns() + (to.0 - from.0));
    }
}
