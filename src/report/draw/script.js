// A page reads well without this. It adds a cursor that shows all values at one moment, legends that hide series, and tables that sort,
// filter and open the lives of nodes. Numbers come from the tables below the figures, so nothing is in the page twice.
"use strict";
(() => {
  const all = (root, selector) => [...root.querySelectorAll(selector)];
  const make = (tag, properties) => Object.assign(document.createElement(tag), properties);
  const draw = (parent, tag, attributes) => {
    const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const name in attributes) element.setAttribute(name, attributes[name]);
    return parent.appendChild(element);
  };
  const texts = (root, selector) => all(root, selector).map((cell) => cell.textContent.trim());
  const least = (list, size) => list.reduce((best, item) => (!best || size(item) < size(best) ? item : best), null);

  // The plots of a figure, each with the rows of its table: places from 0 to 1 along the axis, and texts.
  const plots = [];
  const prepare = (figure) => all(figure, ".area").forEach((area, i) => {
    const table = all(figure, ".numbers table")[i];
    const [left, top, width, height] = area.dataset.box.split(" ").map(Number);
    const [low, high, log] = area.dataset.x.split(" ");
    const [from, to] = [low, high].map(log ? Math.log10 : Number);
    const rows = all(table, "tbody tr").map((row) => ({ at: row.dataset.x / 1000, cells: texts(row, "th,td") }));
    if (rows.length) plots.push({
      area, figure, rows, left, top, width, height, axis: area.dataset.axis, names: texts(table, "thead th"),
      frame: area.closest(".plot"), svg: area.closest("svg"),
      value: (share) => from + share * (to - from), share: (value) => (value - from) / (to - from),
    });
  });

  // The places of a line: "M" is absolute, other steps are relative.
  const places = (path) => {
    if (path.places) return path.places;
    let [x, y] = [0, 0];
    path.places = [];
    for (const [, command, rest] of path.getAttribute("d").matchAll(/([Ml])([^Mlhz]*)/g)) {
      if (command === "M") [x, y] = [0, 0];
      const numbers = rest.match(/-?(\d+\.?\d*|\.\d+)/g).map(Number);
      for (let i = 0; i < numbers.length; i += 2) path.places.push([(x += numbers[i]), (y += numbers[i + 1])]);
    }
    return path.places;
  };

  const clear = (plot) => {
    for (const part of [plot.tip, plot.overlay]) if (part) part.remove();
  };
  const mark = (plot, x) => {
    plot.overlay = draw(plot.svg, "g", {});
    draw(plot.overlay, "line", { x1: x, x2: x, y1: plot.top, y2: plot.top + plot.height, class: "cursor" });
    for (const path of all(plot.area, "[data-s]:not(.off) > .line")) {
      const near = least(places(path), (place) => Math.abs(place[0] - x));
      if (!near || Math.abs(near[0] - x) > 4) continue;
      const colour = draw(plot.overlay, "g", { class: path.parentNode.getAttribute("class") });
      draw(colour, "circle", { cx: near[0], cy: near[1], r: 3.5, class: "dot" });
    }
  };
  const show = (plot, share, speaks) => {
    clear(plot);
    const near = (i, at) => least(plot.rows.filter((row) => row.cells[i]), (row) => Math.abs(row.at - at));
    const row = near(0, share);
    if (Math.abs(row.at - share) > 0.1) return;
    const x = plot.left + row.at * plot.width;
    mark(plot, x);
    const tip = (plot.tip = make("div", { className: "tip" }));
    if (speaks) tip.setAttribute("role", "status");
    tip.append(make("b", { textContent: row.cells[0] }));
    const hidden = texts(plot.figure, ".legend [aria-pressed=false]");
    plot.names.forEach((name, i) => {
      // A series with other moments than its neighbours shows its nearest one, if that is near.
      const own = i && !hidden.includes(name) && near(i, row.at);
      if (!own || Math.abs(own.at - row.at) > 0.02) return;
      const line = tip.appendChild(make("div"));
      line.append(make("span", { textContent: name }), own.cells[i]);
    });
    plot.frame.append(tip);
    const scale = plot.svg.clientWidth / plot.svg.viewBox.baseVal.width;
    const fits = x * scale + 12 + tip.offsetWidth <= plot.svg.clientWidth;
    tip.style.left = Math.max(0, x * scale + (fits ? 12 : -12 - tip.offsetWidth)) + "px";
    tip.style.top = plot.top * scale + 4 + "px";
  };
  // All figures with the same axis show the same moment.
  const together = (plot, share) => plots.forEach((other) => {
    if (other.axis === plot.axis) show(other, other.share(plot.value(share)), other === plot);
    else clear(other);
  });
  const forget = () => plots.forEach(clear);

  const listen = (frame) => {
    const own = plots.filter((plot) => plot.frame === frame);
    if (!own.length) return;
    let [current, index] = [own[0], -1];
    const point = (event) => {
      const box = current.svg.getBoundingClientRect();
      const scale = current.svg.viewBox.baseVal.width / box.width;
      const [x, y] = [(event.clientX - box.left) * scale, (event.clientY - box.top) * scale];
      const hit = own.find((p) => x > p.left - 8 && x < p.left + p.width + 8 && y > p.top - 8 && y < p.top + p.height + 20);
      if (!hit) return forget();
      current = hit;
      together(hit, Math.min(1, Math.max(0, (x - hit.left) / hit.width)));
    };
    frame.tabIndex = 0;
    frame.setAttribute("role", "group");
    frame.setAttribute("aria-label", "Plot; arrow keys read its values");
    for (const kind of ["pointermove", "pointerdown"]) frame.addEventListener(kind, point);
    frame.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && forget());
    frame.addEventListener("blur", forget);
    frame.addEventListener("keydown", (event) => {
      const last = current.rows.length - 1;
      const to = { ArrowLeft: Math.max(0, index - 1), ArrowRight: Math.min(last, index + 1), Home: 0, End: last }[event.key];
      if (event.key === "Escape") forget();
      if (to === undefined) return;
      event.preventDefault();
      together(current, current.rows[(index = to)].at);
    });
  };
  const toggle = (figure) => all(figure, ".legend button").forEach((button) => button.addEventListener("click", () => {
    const off = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", !off);
    all(figure, `.plot [data-s="${button.dataset.s}"]`).forEach((part) => part.classList.toggle("off", off));
  }));
  const start = (figure) => {
    prepare(figure);
    toggle(figure);
    all(figure, ".plot").forEach(listen);
  };

  const press = (element, action) => {
    element.tabIndex = 0;
    element.addEventListener("click", (event) => event.target.closest("a, button") || action());
    element.addEventListener("keydown", (event) => {
      if (event.target !== element || ![" ", "Enter"].includes(event.key)) return;
      event.preventDefault();
      action();
    });
  };
  // Numbers by size, texts by alphabet; numbers come first.
  const key = (cell) => {
    const text = cell ? cell.textContent.trim() : "";
    const number = parseFloat((cell && cell.dataset.v) || text.replace(/[\u202f\u2009,]/g, "").replace("−", "-"));
    return Number.isNaN(number) ? [1, 0, text] : [0, number, text];
  };
  const compare = (a, b) => a[0] - b[0] || a[1] - b[1] || a[2].localeCompare(b[2]);
  const sort = (table) => all(table, "thead th").forEach((head, i) => press(head, () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    all(table, "[aria-sort]").forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    close(table);
    const rows = [...table.tBodies[0].rows].map((row) => [key(row.cells[i]), row]);
    rows.sort(([a], [b]) => (down ? compare(b, a) : compare(a, b)));
    table.tBodies[0].append(...rows.map(([, row]) => row));
  }));
  const filter = (table) => {
    const box = make("input", { type: "search", className: "filter", placeholder: "Filter nodes", ariaLabel: "Filter nodes" });
    box.addEventListener("input", () => {
      close(table);
      const words = box.value.toLowerCase().split(/\s+/);
      for (const row of table.tBodies[0].rows) row.hidden = !words.every((word) => row.textContent.toLowerCase().includes(word));
    });
    (table.closest(".scroll") || table).before(box);
  };

  // The life of a node below its row: from a template, or from an element elsewhere on the page.
  const close = (table) => {
    all(table, "tr.life").forEach((row) => row.remove());
    all(table, "[aria-expanded=true]").forEach((row) => row.setAttribute("aria-expanded", "false"));
  };
  const life = (node) => {
    const found = document.getElementById("node-" + node);
    const text = "This page has no details of this node: it keeps them for a part of the nodes.";
    if (!found) return make("p", { className: "missing", textContent: text });
    if (found.content) return found.content.cloneNode(true);
    return Object.assign(found.cloneNode(true), { id: "", hidden: false, open: true });
  };
  const open = (table) => all(table, "tr[data-node]").forEach((row) => {
    row.setAttribute("aria-expanded", "false");
    press(row, () => {
      const was = row.getAttribute("aria-expanded") === "true";
      close(table);
      if (was) return;
      row.setAttribute("aria-expanded", "true");
      const below = make("tr", { className: "life" });
      below.append(make("td", { colSpan: row.cells.length }));
      below.firstChild.append(life(row.dataset.node));
      row.after(below);
      all(below, "figure").forEach(start);
    });
  });

  all(document, "figure").forEach(start);
  all(document, "table.sortable").forEach(sort);
  all(document, "table.nodes").forEach((table) => (filter(table), open(table)));
})();
